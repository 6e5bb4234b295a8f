import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest, RouteHandlerMethod, RouteShorthandOptions } from 'fastify'

/**
 * A text that changes whenever a row of the tables of these projections does, or what their answers say of their state; null where that is not
 * known. It is taken from the database that the routes read.
 */
export type ReadMarks = (projections: readonly string[]) => Promise<string | null>

declare module 'fastify' {
  interface FastifyRequest {
    /** The `ETag` of the answer, once it is known; a refusal has none. */
    etag?: string | undefined
  }
}

const digest = (parts: readonly unknown[]): string => hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 27)

/** Whether the caller has this answer already. A proxy that compresses makes a tag weak: the bytes differ, what they say does not. */
const isKnown = (header: string | undefined, etag: string): boolean =>
  header?.split(',').some((one) => one.trim().replace(/^W\//, '') === etag) === true

type TaggedRoute = Readonly<{ options: RouteShorthandOptions; handler: RouteHandlerMethod }>

/**
 * Adds to a GET route an `ETag` of all that its answer follows from: the address with its query, the workspace and the user with the role, the marks of
 * the projections, and what this version of the service makes of them (M76). A caller that shows it again is answered 304, and the handler does not run. The marks
 * are read before the rows, and where the rows are: an answer may be newer than its tag, and is then sent once more, but never older.
 */
export function answeringUnchanged(
  { options, handler }: TaggedRoute,
  { reads, marks }: Readonly<{ reads: readonly string[]; marks: ReadMarks }>,
): TaggedRoute {
  const shape = digest([options.schema?.response ?? null, String(handler)])
  const unlessKnown: RouteHandlerMethod = async function (request, reply) {
    const seen = await marks(reads)
    const { tenant, user, url } = request
    const who = [tenant?.workspaceId ?? null, user?.userId ?? null, user?.role ?? null, user?.actsAsOperator ?? null]
    const etag = seen === null ? undefined : `"${digest([shape, url, who, seen])}"`
    if (etag !== undefined && isKnown(request.headers['if-none-match'], etag)) return reply.code(304).header('ETag', etag).send()
    request.etag = etag
    return await handler.call(this, request, reply)
  }
  const tag = async ({ etag }: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (etag !== undefined && reply.statusCode === 200) reply.header('ETag', etag)
  }
  return { options: { ...options, onSend: [...[options.onSend ?? []].flat(), tag] }, handler: unlessKnown }
}
