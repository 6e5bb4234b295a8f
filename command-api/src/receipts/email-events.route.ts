import { createHmac, timingSafeEqual } from 'node:crypto'
import { applyReceipt } from '@tidings/commands'
import { type App, invalidRequest, RequestRefused } from '@tidings/http'
import type { FastifyRequest } from 'fastify'
import type { Dependencies } from '../dependencies.ts'
import { type EmailEvent, parseEmailEvents } from './parse-email-events.ts'

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i

/** No schema for the body: it is an array, and the schemas of this API judge objects. `parseEmailEvents` does. */
const schema = { operationId: 'providers.emailEvents', tags: ['providers'], hide: true }
const config = { access: 'open', raw: true, rawBody: true, throttle: false } as const

/** Providers send their events in batches. */
const MAX_BYTES = 1024 * 1024

const unsigned = (): RequestRefused => new RequestRefused({ status: 401, message: 'Invalid signature' })

const isSigned = (body: Buffer | null, header: unknown, secret: string | null): boolean => {
  if (secret === null || body === null || typeof header !== 'string') return false
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`)
  const given = Buffer.from(header)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** Our id: given as it is, or read out of the Message-ID that providers give back as theirs. */
const messageIdOf = ({ messageId, providerMessageId }: EmailEvent): string | undefined =>
  messageId ?? UUID.exec(providerMessageId ?? '')?.[0].toLowerCase()

/** Signed receipts of an email provider (operator.md §6). Taken as a whole: what names no message of ours is counted, not refused. */
export const emailEvents = (app: App, deps: Dependencies): void => {
  const preValidation = async (request: FastifyRequest): Promise<void> => {
    if (!isSigned(request.rawBody, request.headers['x-tidings-signature'], deps.providerSecret)) throw unsigned()
  }
  app.post('/providers/email/events', { schema, config, bodyLimit: MAX_BYTES, preValidation }, async (request) => {
    const events = parseEmailEvents(request.body)
    if (typeof events === 'string') throw invalidRequest(events)
    const counts = { applied: 0, repeated: 0, unknown_message: 0 }
    for (const event of events) {
      const messageId = messageIdOf(event)
      const found = messageId === undefined ? null : await deps.findMessage(messageId)
      if (messageId === undefined || found === null) {
        counts.unknown_message++
        continue
      }
      const { type, hard, reason } = event
      const receipt = { type, ...(hard !== undefined && { hard }), ...(reason !== undefined && { reason }) }
      // The provider's clock is evidence, not ours: what is stored is when we heard it (decisions.md M12).
      const { outcome } = await applyReceipt(deps.commands, { ...receipt, ...found, messageId, at: deps.now(), requestId: request.id })
      counts[outcome]++
    }
    return { applied: counts.applied, repeated: counts.repeated, unknown: counts.unknown_message }
  })
}
