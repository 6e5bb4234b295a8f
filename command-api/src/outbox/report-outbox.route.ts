import { Type } from '@sinclair/typebox'
import { IdParams } from '@tidings/contracts'
import { type App, RequestRefused } from '@tidings/http'
import { findInOutbox } from '@tidings/providers'
import { applyReceipt } from '@tidings/receipts'
import type { Dependencies } from '../dependencies.ts'
import { waitUntilVisible } from '../read-your-writes.ts'

const STATUSES = ['delivered', 'bounced', 'complained', 'failed'] as const
const status = Type.Unsafe<(typeof STATUSES)[number]>({ type: 'string', enum: [...STATUSES] })
const body = Type.Object({ status, reason: Type.Optional(Type.String({ maxLength: 2_000 })) })
const schema = { hide: true, params: IdParams, body }
const config = { access: 'open', raw: true, throttle: false } as const

/** The receipt a provider would have sent for a message of the outbox, through the same code path (O5). */
export function reportDevOutbox(app: App, deps: Dependencies): void {
  app.post('/dev/outbox/:id/report', { schema, config }, async (request, reply) => {
    const message = await findInOutbox(deps.pool, request.params.id)
    if (message === null || message.messageId === null) throw new RequestRefused({ status: 404, message: 'Message not found' })
    const { workspaceId, messageId } = message
    const { reason, status: type } = request.body
    const { outcome, position } = await applyReceipt(deps.commands, {
      workspaceId,
      messageId,
      type,
      ...(reason !== undefined && { reason }),
      at: deps.now(),
      requestId: request.id,
    })
    await waitUntilVisible(deps, reply, { position, projections: ['messages'] })
    return { outcome }
  })
}
