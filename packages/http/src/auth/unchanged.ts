import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify'

/**
 * A text that changes whenever a row of the tables of these projections does, or what their answers say of their state; null where that is not
 * known. It is taken from the database that the routes read.
 */
export type ReadMarks = (projections: readonly string[]) => Promise<string | null>

declare module 'fastify' {
  interface FastifyRequest {
    /** The `ETag` of the answer, once it is known; a refusal has none. */
    etag?: string
  }
}

const digest = (parts: readonly unknown[]): string => hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 27)

/** Whether the caller has this answer already. A proxy that compresses makes a tag weak: the bytes differ, what they say does not. */
const isKnown = (header: string | undefined, etag: string): boolean =>
  header?.split(',').some((one) => one.trim().replace(/^W\//, '') === etag) === true

/**
 * Adds to a GET route an `ETag` of all that its answer follows from: the address with its query, the workspace and the user with the role, the marks of
 * the projections, and what this version of the service makes of them (M76). A caller that shows it again is answered 304 before the handler runs. The marks
 * are read before the rows: an answer may be newer than its tag, and is then sent once more, but never older.
 */
export function answeringUnchanged<Options extends RouteShorthandOptions>(
  options: Options,
  { reads, marks, handler }: Readonly<{ reads: readonly string[]; marks: ReadMarks; handler: string }>,
): Options {
  const shape = digest([options.schema?.response ?? null, handler])
  const look = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    // A database that does not answer in time: the handler says so itself.
    const seen = await marks(reads).catch(() => null)
    if (seen === null) return undefined
    const { tenant, user, url } = request
    const who = [tenant?.workspaceId ?? null, user?.userId ?? null, user?.role ?? null, user?.actsAsOperator ?? null]
    request.etag = `"${digest([shape, url, who, seen])}"`
    if (!isKnown(request.headers['if-none-match'], request.etag)) return undefined
    return reply.code(304).header('ETag', request.etag).send()
  }
  const tag = async ({ etag }: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (etag !== undefined && reply.statusCode === 200) reply.header('ETag', etag)
  }
  return { ...options, preHandler: [...[options.preHandler ?? []].flat(), look], onSend: [...[options.onSend ?? []].flat(), tag] }
}
