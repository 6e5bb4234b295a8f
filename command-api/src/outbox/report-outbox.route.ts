import { Type } from '@sinclair/typebox'
import { waitUntilVisible } from '@tidings/administration'
import { IdParams } from '@tidings/contracts'
import type { MessageId, WorkspaceId } from '@tidings/domain'
import { type App, invalidRequest, RequestRefused } from '@tidings/http'
import { findInOutbox, type OutboxMessage } from '@tidings/providers'
import { applyReceipt, applySmsReceipt } from '@tidings/receipts'
import type { Dependencies } from '../dependencies.ts'

const STATUSES = ['delivered', 'bounced', 'complained', 'failed'] as const
const status = Type.Unsafe<(typeof STATUSES)[number]>({ type: 'string', enum: [...STATUSES] })
const body = Type.Object({ status, reason: Type.Optional(Type.String({ maxLength: 2_000 })) })
const schema = { hide: true, params: IdParams, body }
const config = { access: 'open', raw: true, throttle: false } as const

type Reported = Readonly<{ status: (typeof STATUSES)[number]; reason?: string }>
type ReportedMessage = Readonly<{ workspaceId: WorkspaceId; messageId: MessageId; at: string; requestId: string }>

/** The receipt a provider would have sent for a message of the outbox, through the same code path (O5). */
export function reportDevOutbox(app: App, deps: Dependencies): void {
  app.post('/dev/outbox/:id/report', { schema, config }, async (request, reply) => {
    const message = await findInOutbox(deps.pool, request.params.id)
    if (message === null || message.messageId === null) throw new RequestRefused({ status: 404, message: 'Message not found' })
    const { workspaceId, messageId, channel } = message
    const of = { workspaceId, messageId, at: deps.now(), requestId: request.id }
    const isForPhones = channel === 'sms' || channel === 'voice'
    const { outcome, position } = await (isForPhones ? reportSms(deps, message, of, request.body) : reportEmail(deps, of, request.body))
    await waitUntilVisible(deps, reply, { position, projections: ['messages'] })
    return { outcome }
  })
}

function reportEmail({ commands }: Dependencies, of: ReportedMessage, { status: type, reason }: Reported) {
  return applyReceipt(commands, { ...of, type, ...(reason !== undefined && { reason }) })
}

/** Reasons of a failure that the status record shows; another text is the provider's own. */
const SMS_REASONS = ['undeliverable', 'expired', 'provider_rejected', 'invalid_address'] as const

function reportSms({ commands }: Dependencies, { id }: OutboxMessage, of: ReportedMessage, { status, reason }: Reported) {
  if (status !== 'delivered' && status !== 'failed') throw invalidRequest('A text message or a call is reported as delivered or failed')
  const known = SMS_REASONS.find((one) => one === reason) ?? 'undeliverable'
  return applySmsReceipt(commands, {
    ...of,
    provider: 'outbox',
    providerMessageId: id,
    status,
    reason: status === 'failed' ? known : null,
    detail: status === 'failed' ? (reason ?? null) : null,
  })
}
