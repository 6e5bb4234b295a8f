import { UnknownEventType } from '@tidings/codec'
import { EventStoreError } from '@tidings/event-store'
import { unavailable } from '@tidings/http'
import { applyReceipt, findMessages, isRecipient } from '@tidings/receipts'
import type { Dependencies } from '../dependencies.ts'
import type { EmailEvent } from './parse-email-events.ts'

/** The seconds that the read side may take to catch up before the provider asks again. */
const RETRY_AFTER = 5

/** The next message would fail too; an unreadable stream says nothing about the others. */
const isAway = (error: unknown): boolean => error instanceof EventStoreError && error.retryable && !(error instanceof UnknownEventType)

/** How many of the events were news, were known, or are of no message. */
type AppliedEvents = Readonly<{ applied: number; repeated: number; unknown: number }>

/**
 * Applies what a provider of mail reports. A receipt of an unknown message is counted, not refused. Where it is not known yet whether the message exists, or a
 * receipt cannot be applied, the others are applied and it throws: when the provider sends the batch again, the applied ones are `repeated`.
 */
export async function applyEmailEvents(
  deps: Pick<Dependencies, 'commands' | 'messages' | 'now'>,
  events: readonly EmailEvent[],
  requestId: string,
): Promise<AppliedEvents> {
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
      const { outcome } = await applyReceipt(deps.commands, { ...receipt, ...found, at: deps.now(), requestId })
      counts[outcome]++
    } catch (error) {
      failures.push(error)
      if (isAway(error)) break
    }
  }
  if (failures.length > 0) throw failures[0]
  if (messages.includes('behind')) throw unavailable(RETRY_AFTER)
  return { applied: counts.applied, repeated: counts.repeated, unknown: counts.unknown_message }
}
