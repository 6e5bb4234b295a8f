import { createHmac, timingSafeEqual } from 'node:crypto'
import { UnknownEventType } from '@tidings/codec'
import { EventStoreError } from '@tidings/event-store'
import { type App, invalidRequest, invalidSignature, unavailable } from '@tidings/http'
import { applyReceipt, findMessages, isRecipient } from '@tidings/receipts'
import type { FastifyRequest } from 'fastify'
import type { Dependencies } from '../dependencies.ts'
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

/** The seconds that the read side may take to catch up before the provider asks again. */
const RETRY_AFTER = 5

/** The next message would fail too; an unreadable stream says nothing about the others. */
const isAway = (error: unknown): boolean => error instanceof EventStoreError && error.retryable && !(error instanceof UnknownEventType)

/**
 * Signed receipts of an email provider (O6). A receipt of an unknown message is counted, not refused. Where it is not
 * known yet whether the message exists, or a receipt cannot be applied, the others are applied and the answer is 503: when the provider
 * sends the batch again, the applied ones are `repeated`.
 */
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
    const counts = { applied: 0, repeated: 0, unknown_message: 0 }
    const failures: unknown[] = []
    const messages = await findMessages(deps.messages, events)
    for (const [n, event] of events.entries()) {
      const { type, hard, reason } = event
      const found = messages[n] ?? 'unknown'
      if (found === 'unknown') counts.unknown_message++
      if (typeof found === 'string') continue
      const receipt = { type, ...(hard !== undefined && { hard }), ...(reason !== undefined && { reason }) }
      // The time of receipt is stored, not the provider's clock (M12).
      try {
        if (!(await isRecipient(deps.commands, event, found))) {
          counts.unknown_message++
          continue
        }
        const { outcome } = await applyReceipt(deps.commands, { ...receipt, ...found, at: deps.now(), requestId: request.id })
        counts[outcome]++
      } catch (error) {
        failures.push(error)
        if (isAway(error)) break
      }
    }
    if (failures.length > 0) throw failures[0]
    if (messages.includes('behind')) throw unavailable(RETRY_AFTER)
    return { applied: counts.applied, repeated: counts.repeated, unknown: counts.unknown_message }
  })
}
