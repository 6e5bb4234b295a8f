import { type App, invalidSignature } from '@tidings/http'
import { type SmsReceipt, TWILIO_PATHS } from '@tidings/providers'
import { applySmsReceipt } from '@tidings/receipts'
import type { Dependencies } from '../dependencies.ts'
import { callbackOf, callbackRoute } from './twilio-callback.ts'

type Needs = Pick<Dependencies, 'commands' | 'phone' | 'now'>

/**
 * Takes a report of Twilio about a message or a call (O6). The ids in the address are ours and signed, and the message is looked for in the log
 * itself: one that is not there was never accepted, so the report is counted and not asked for again.
 */
export function twilioStatus(app: App, deps: Needs): void {
  app.post(TWILIO_PATHS.status, callbackRoute('providers.twilioStatus'), async (request, reply) => {
    const read = deps.phone.twilio.status(callbackOf(request), new Date(deps.now()))
    if (read === null) throw invalidSignature()
    deps.phone.countReceipt(await outcomeOf(deps, read.receipt, request.id))
    return reply.code(204).send()
  })
}

async function outcomeOf({ commands }: Needs, receipt: SmsReceipt | null, requestId: string): Promise<string> {
  if (receipt === null) return 'unreadable'
  const { workspaceId, messageId } = receipt
  if (workspaceId === null || messageId === null) return 'unknown_message'
  return (await applySmsReceipt(commands, { ...receipt, workspaceId, messageId, provider: receipt.provider ?? 'twilio', requestId }))
    .outcome
}
