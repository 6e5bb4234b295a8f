import { hash } from 'node:crypto'
import { apiKeyKind } from '@tidings/domain'
import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    keyHash: string | null
  }
}

/** SHA-256 of the `X-API-Key` as it was presented, in lower-case hex; null without one. Both the counters and the look-up use it. */
export function presentedKeyHash(request: FastifyRequest): string | null {
  if (request.keyHash !== null) return request.keyHash
  const key = request.headers['x-api-key']
  if (typeof key !== 'string' || key === '') return null
  request.keyHash = hash('sha256', key, 'hex')
  return request.keyHash
}

/** Whether the `X-API-Key` says of itself that anyone may have it (M63). */
export function presentsPublishableKey({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const key = headers['x-api-key']
  return typeof key === 'string' && apiKeyKind(key) === 'publishable'
}
