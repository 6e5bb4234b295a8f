import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { admit } from '../admission.ts'
import { limitKeyOf } from '../client/parse-address.ts'
import { invalidRequest, PayloadTooLarge } from '../errors/problems.ts'
import { bodyBudget } from './body-budget.ts'
import type { AfterTimeout } from './body-rate.ts'
import { parseJson } from './parse-json.ts'
import { readBody } from './read-body.ts'

/** `bodyLimit`: bytes of one body; `bodyBudget`: bytes of all bodies at one moment. */
export type BodyLimits = Readonly<{ bodyLimit: number; bodyBudget: number; after: AfterTimeout }>

/** Called once, with the bytes of a body or with why there are none. */
type BodyRead = (error: Error | null, bytes: Buffer) => void

declare module 'fastify' {
  interface FastifyRequest {
    bodyState: BodyState | null
  }
  interface FastifyInstance {
    /** Reads a body within the limits of its route, for a content type that is not JSON. */
    readBody: (request: FastifyRequest, payload: Readable, done: BodyRead) => void
  }
}

/** `hash`: SHA-256 of the body, only under an `Idempotency-Key`. `free`: bytes that are read before the caller is known. */
type BodyState = { suspect: boolean; hash: Buffer | null; readonly reply: FastifyReply; readonly route: BodyRoute }
type BodyRoute = Readonly<{ limit: number; free: number; keepRaw: boolean }>

/** What a route reads of a caller without a key or a session of the dashboard, unless its `bodyLimit` says otherwise. */
const KEYLESS_BYTES = 64 * 1024

/** A request without a length and without chunks has no body (RFC 9112, 6.3). */
const hasNoBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0

const promisedBytes = ({ headers }: FastifyRequest): number => Number(headers['content-length'] ?? Number.POSITIVE_INFINITY)

/** Says 100 to a client that waits for it (RFC 9110, 10.1.1), once, when its body is wanted. */
const inviting = (request: FastifyRequest, reply: FastifyReply): (() => void) => {
  let invited = request.headers.expect === undefined
  return () => {
    if (!invited) reply.raw.writeContinue()
    invited = true
  }
}

const bodyRoute = (route: RouteOptions, bodyLimit: number): BodyRoute => {
  const isKeyless = (route.config?.access ?? 'key') !== 'key' && !route.config?.door
  const limit = Math.min(bodyLimit, route.bodyLimit ?? (isKeyless ? KEYLESS_BYTES : bodyLimit))
  return { limit, free: isKeyless ? limit : Math.min(limit, KEYLESS_BYTES), keepRaw: route.config?.rawBody === true }
}

/** Reads one body within the limits of its route and of all bodies; its bytes count until the answer is out or the connection gone. */
const createReader = ({ bodyLimit, bodyBudget: total, after }: BodyLimits): FastifyInstance['readBody'] => {
  // A share that no body of the largest size fits into would refuse it for ever.
  const share = Math.max(Math.floor(total / 4), bodyLimit)
  const budget = bodyBudget({ total, share })
  return (request, payload, done) => {
    const { reply, route } = request.bodyState!
    const reservation = budget.reserve(limitKeyOf(request.clientAddress))
    reply.raw.once('close', reservation.release)
    const bounds = {
      ...route,
      promised: promisedBytes(request),
      take: reservation.take,
      admit: (admitted: (error?: Error) => void) => admit(request, reply, admitted),
      invite: inviting(request, reply),
      after,
    }
    readBody(payload, bounds, (error, bytes) => {
      // A refusal may linger for a client that goes on sending; the bytes that had come no longer count.
      if (error !== null) reservation.release()
      done(error, bytes)
    })
  }
}

/**
 * Bodies are JSON or nothing. Too large is 413, not JSON is 400, both before the caller is known; but of a caller without a key at most
 * 64 KiB are read. Over the budget of all bodies, or over the share of one address, is 503; too slow is 408.
 */
export const bodies = fp<BodyLimits>(
  async (app, limits) => {
    app.decorateRequest('bodyState', null)
    app.decorateRequest('rawBody', null)
    app.decorate('readBody', createReader(limits))
    // Node would say 100 to every client, and then the body comes even where it is refused. Other expectations are ignored.
    const takeRequest = (request: IncomingMessage, response: ServerResponse): boolean => app.server.emit('request', request, response)
    app.server.on('checkContinue', takeRequest).on('checkExpectation', takeRequest)
    app.addHook('onRoute', (options) => {
      const route = bodyRoute(options, limits.bodyLimit)
      options.preParsing = [
        ...[options.preParsing ?? []].flat(),
        (request, reply, payload, done) => {
          const { method } = request
          if (method === 'GET' || method === 'HEAD') return done(null, payload)
          if (Number(request.headers['content-length']) > route.limit) return done(new PayloadTooLarge())
          request.bodyState = { suspect: false, hash: null, reply, route }
          done(null, payload)
        },
      ]
    })
    parseBodies(app)
  },
  { name: 'bodies', dependencies: ['admission', 'error-answers'] },
)

const parseBodies = (app: FastifyInstance): void => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', (request, payload: Readable, done) => {
    const encoding = request.headers['content-encoding']
    if (encoding !== undefined && encoding !== 'identity') return done(invalidRequest('Content-Encoding is not supported'))
    app.readBody(request, payload, (error, bytes) => {
      const refusal = error ?? request.routeOptions.config.checkBody?.(request, bytes) ?? null
      if (refusal === null) accept(request, bytes, done)
      else done(refusal)
    })
  })
  app.addContentTypeParser('*', (request, payload: Readable, done) => {
    if (hasNoBody(request)) return done(null, undefined)
    if (!isForm(request)) return done(invalidRequest('Content-Type must be application/json'))
    app.readBody(request, payload, (error, bytes) => (error === null ? acceptForm(request, bytes, done) : done(error)))
  })
}

const FORM_TYPE = /^application\/x-www-form-urlencoded(?:;|$)/i

const isForm = ({ headers, routeOptions }: FastifyRequest): boolean =>
  routeOptions.config.form === true && FORM_TYPE.test(headers['content-type'] ?? '')

/** Fields of one name are one field, the last; percent-encoding may hide text that no body may have. */
const acceptForm = ({ bodyState }: FastifyRequest, bytes: Buffer, done: (error: Error | null, body?: unknown) => void): void => {
  if (bodyState) bodyState.suspect = true
  done(null, Object.fromEntries(new URLSearchParams(bytes.toString())))
}

const accept = (request: FastifyRequest, bytes: Buffer, done: (error: Error | null, body?: unknown) => void): void => {
  const state = request.bodyState
  try {
    const { value, suspect } = parseJson(bytes)
    if (state) {
      state.suspect = suspect
      if (request.headers['idempotency-key'] !== undefined) state.hash = createHash('sha256').update(bytes).digest()
      if (state.route.keepRaw) request.rawBody = bytes
    }
    done(null, value)
  } catch (error) {
    done(error instanceof Error ? error : new Error(String(error)))
  }
}
