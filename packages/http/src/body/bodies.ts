import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { invalidRequest, PayloadTooLarge } from '../errors/problems.ts'
import { bodyBudget } from './body-budget.ts'
import { parseJson } from './parse-json.ts'
import { readBody } from './read-body.ts'

/** `bodyLimit`: bytes of one body; `bodyBudget`: bytes of all bodies at one moment. */
export type BodyLimits = Readonly<{ bodyLimit: number; bodyBudget: number }>

declare module 'fastify' {
  interface FastifyRequest {
    bodyState: BodyState | null
  }
}

/** `held`: bytes taken from the budget. `hash`: SHA-256 of the body, only under an `Idempotency-Key`. */
type BodyState = { held: number; suspect: boolean; hash: Buffer | null; keepRaw: boolean }

/** Without a length and without chunks a request has none (RFC 9112, 6.3). */
const hasNoBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0

/**
 * Bodies are JSON or nothing. Too large is 413, not JSON is 400, both before routing decides anything else; over the budget of all
 * bodies is 503. The bytes count until the answer is out or the connection gone.
 */
export const readBodies = (app: FastifyInstance, limits: BodyLimits): void => {
  const budget = bodyBudget(limits.bodyBudget)
  app.decorateRequest('bodyState', null)
  app.decorateRequest('rawBody', null)

  app.addHook('preParsing', (request, reply, payload, done) => {
    const { method } = request
    if (method !== 'GET' && method !== 'HEAD') {
      const state: BodyState = { held: 0, suspect: false, hash: null, keepRaw: false }
      request.bodyState = state
      reply.raw.once('close', () => budget.give(state.held))
    }
    done(null, payload)
  })

  app.addHook('onRoute', (route) => {
    if (!route.config?.rawBody) return
    route.preParsing = [
      ...[route.preParsing ?? []].flat(),
      (request, _reply, payload, done) => {
        if (request.bodyState) request.bodyState.keepRaw = true
        done(null, payload)
      },
    ]
  })

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', (request, payload: Readable, done) => {
    const encoding = request.headers['content-encoding']
    if (encoding !== undefined && encoding !== 'identity') return done(invalidRequest('Content-Encoding is not supported'))
    if (Number(request.headers['content-length']) > limits.bodyLimit) return done(new PayloadTooLarge())
    const take = (bytes: number): boolean => {
      if (!budget.take(bytes)) return false
      if (request.bodyState) request.bodyState.held += bytes
      return true
    }
    readBody(payload, { limit: limits.bodyLimit, take }, (error, bytes) => (error ? done(error) : accept(request, bytes, done)))
  })
  app.addContentTypeParser('*', (request, _payload: Readable, done) => {
    if (Number(request.headers['content-length']) > limits.bodyLimit) return done(new PayloadTooLarge())
    if (hasNoBody(request)) return done(null, undefined)
    done(invalidRequest('Content-Type must be application/json'))
  })
}

const accept = (request: FastifyRequest, bytes: Buffer, done: (error: Error | null, body?: unknown) => void): void => {
  const state = request.bodyState
  try {
    const { value, suspect } = parseJson(bytes)
    if (state) {
      state.suspect = suspect
      if (request.headers['idempotency-key'] !== undefined) state.hash = createHash('sha256').update(bytes).digest()
      if (state.keepRaw) request.rawBody = bytes
    }
    done(null, value)
  } catch (error) {
    done(error instanceof Error ? error : new Error(String(error)))
  }
}
