import type { DirectoryForms } from '@tidings/directory'
import type { FastifyReply, FastifyRequest } from 'fastify'
import pLimit, { type LimitFunction } from 'p-limit'
import type { Dependencies } from '../dependencies.ts'

/** What a script of another origin may read of an answer. */
const EXPOSED = 'X-Request-Id, Retry-After, Retry-After-tenant, X-RateLimit-Remaining, X-RateLimit-Reset'

/** A slug or a UUID: anything else names no workspace, and is not looked up. */
const REFERENCE = /^(?:[a-z0-9-]{1,24}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/**
 * No caller is counted yet: names that no workspace has, each a query, must not take the database from the others. What comes while so many
 * wait is answered without the header.
 */
const LOOK_UPS_AT_ONCE = 2
const MAX_WAITING = 200

/**
 * Lets the page of an allowed origin read every answer, refusals too (G28): those that come before the key is known are judged by the
 * workspace that the request names. It shows no more than that the origin is allowed there, which the page itself shows.
 */
export function allowOrigin({ directory }: Pick<Dependencies, 'directory'>) {
  const limit = pLimit(LOOK_UPS_AT_ONCE)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    reply.raw.setHeader('Vary', 'Origin')
    const { origin } = request.headers
    if (origin === undefined) return
    const forms = await formsNamedBy(request, { directory, limit })
    if (!forms?.origins.includes(origin)) return
    reply.raw.setHeader('Access-Control-Allow-Origin', origin)
    reply.raw.setHeader('Access-Control-Expose-Headers', EXPOSED)
  }
}

/** Null also where the read models do not answer: what comes next on this request meets the same, and answers 503. */
const formsNamedBy = async (
  { headers, log }: FastifyRequest,
  { directory, limit }: Pick<Dependencies, 'directory'> & Readonly<{ limit: LimitFunction }>,
): Promise<DirectoryForms | null> => {
  const reference = String(headers['x-sender-tenant'] ?? '').toLowerCase()
  if (!REFERENCE.test(reference) || limit.pendingCount >= MAX_WAITING) return null
  try {
    return await limit(() => directory.forms(reference))
  } catch (error) {
    log.warn({ err: error }, 'the origins of embedded forms could not be read')
    return null
  }
}
