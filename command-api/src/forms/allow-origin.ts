import { createSingleFlight } from '@tidings/async'
import type { Directory, DirectoryForms } from '@tidings/directory'
import { limitKeyOf } from '@tidings/http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'

/** The headers of an answer that a script of another origin may read. */
const EXPOSED = 'X-Request-Id, Retry-After, Retry-After-tenant, X-RateLimit-Remaining, X-RateLimit-Reset'

/** A slug or a UUID: anything else names no workspace, and is not looked up. */
const REFERENCE = /^(?:[a-z0-9-]{1,24}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/**
 * No caller is counted yet: names that no workspace has, each a query, must not take the database from the others. What comes while so many
 * wait, of everybody or of one address, is answered without the header. Requests that name one workspace wait as one, as those of an office that
 * opens a page at once; names that were found once do not wait.
 */
const LOOK_UPS_AT_ONCE = 2
const MAX_WAITING = 200
const MAX_WAITING_OF_ONE = 8
/** Only names that a workspace has are kept, so made-up names displace none. */
const MAX_KNOWN = 10_000

/**
 * Lets the page of an allowed origin read every answer, refusals too (G28): those that come before the key is known are judged by the
 * workspace that the request names. It shows no more than that the origin is allowed there, which the page itself shows.
 */
export function allowOrigin({ directory }: Readonly<{ directory: FormsDirectory }>) {
  const lookUp = createLookUp(directory)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    reply.raw.setHeader('Vary', 'Origin')
    const { origin } = request.headers
    if (origin === undefined) return
    const forms = await formsNamedBy(request, lookUp)
    if (!forms?.origins.includes(origin)) return
    reply.raw.setHeader('Access-Control-Allow-Origin', origin)
    reply.raw.setHeader('Access-Control-Expose-Headers', EXPOSED)
  }
}

type FormsDirectory = Readonly<{ forms: Directory['forms'] }>
type LookUp = (reference: string, client: string) => Promise<DirectoryForms | null>

const createLookUp = (directory: FormsDirectory): LookUp => {
  const limit = pLimit(LOOK_UPS_AT_ONCE)
  const waiting = new Map<string, number>()
  const known = new LRUCache<string, true>({ max: MAX_KNOWN })
  const flight = createSingleFlight<DirectoryForms | null>()
  return async (reference, client) => {
    if (known.get(reference)) return await directory.forms(reference)
    const ofClient = waiting.get(client) ?? 0
    if (limit.pendingCount >= MAX_WAITING || ofClient >= MAX_WAITING_OF_ONE) return null
    return await flight(reference, async () => {
      waiting.set(client, (waiting.get(client) ?? 0) + 1)
      try {
        const forms = await limit(() => directory.forms(reference))
        if (forms !== null) known.set(reference, true)
        return forms
      } finally {
        const left = (waiting.get(client) ?? 1) - 1
        if (left === 0) waiting.delete(client)
        else waiting.set(client, left)
      }
    })
  }
}

/** Null also where the read models do not answer: what comes next on this request meets the same, and answers 503. */
const formsNamedBy = async ({ headers, log, clientAddress }: FastifyRequest, lookUp: LookUp): Promise<DirectoryForms | null> => {
  const reference = String(headers['x-sender-tenant'] ?? '').toLowerCase()
  if (!REFERENCE.test(reference)) return null
  try {
    return await lookUp(reference, limitKeyOf(clientAddress))
  } catch (error) {
    log.warn({ err: error }, 'the origins of embedded forms could not be read')
    return null
  }
}
