import { createHmac, timingSafeEqual } from 'node:crypto'
import { type App, invalidRequest, invalidSignature } from '@tidings/http'
import type { FastifyRequest } from 'fastify'
import type { Dependencies } from '../dependencies.ts'
import { applyEmailEvents } from './apply-email-events.ts'
import { parseEmailEvents } from './parse-email-events.ts'

/** No schema for the body: it is an array, and the schemas of this API are for objects. `parseEmailEvents` validates it. */
const schema = { operationId: 'providers.emailEvents', tags: ['providers'], hide: true }
const signature = { header: 'x-tidings-signature', form: /^sha256=[\da-f]{64}$/ }

/** Providers send their events in batches. */
const MAX_BYTES = 1024 * 1024

const isSigned = (body: Buffer, header: unknown, secret: string | null): boolean => {
  if (secret === null || typeof header !== 'string') return false
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`)
  const given = Buffer.from(header)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** Signed receipts of an email provider (O6). */
export function emailEvents(app: App, deps: Dependencies): void {
  // The signature is checked before the body is parsed, so a stranger's request costs a hash.
  const checkBody = ({ headers }: FastifyRequest, bytes: Buffer) =>
    isSigned(bytes, headers[signature.header], deps.providerSecret) ? null : invalidSignature()
  const config = { access: 'open', raw: true, rawBody: true, signature, checkBody } as const
  const preValidation = async ({ rawBody }: FastifyRequest): Promise<void> => {
    if (rawBody === null) throw invalidSignature()
  }
  app.post('/providers/email/events', { schema, config, bodyLimit: MAX_BYTES, preValidation }, async (request) => {
    const events = parseEmailEvents(request.body)
    if (typeof events === 'string') throw invalidRequest(events)
    return await applyEmailEvents(deps, events, request.id)
  })
}
