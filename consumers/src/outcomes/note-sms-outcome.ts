import type { EventLog, Recorded } from '@tidings/codec'
import type { CommandExecutor, StateLoader } from '@tidings/commands'
import { type MessageEvent, noFacts } from '@tidings/domain'
import type { Job, Verdict } from '@tidings/jobs'
import { addressAt, causeOf } from './cause-of.ts'
import { holderToTell, type NoteFacts } from './holder-to-tell.ts'
import { noteForContact } from './note-for-contact.ts'

type Noting = Readonly<{ log: EventLog; commands: CommandExecutor & StateLoader; noteFacts?: NoteFacts | undefined }>

/** A number that can never be reached gets no more marketing (N188), nor does a person who has asked the gateway to stop (M49). */
export async function noteSmsOutcome({ log, commands, noteFacts }: Noting, job: Job): Promise<Verdict> {
  const { accepted, cause, history } = await causeOf(log, 'SmsAccepted', job)
  const { contactId, messageId, campaign = null } = accepted.data
  // A request to the gateway belongs to the person: it needs no number.
  if (reasonOf(cause) === 'sms_stop') {
    const command = { type: 'NoteSmsOptOut', data: { contactId, message: { messageId, campaign } } } as const
    await noteForContact({ commands }, { contactId, command, cause, what: 'opted out' })
  }
  if (accepted.erased || !saysUnreachable(cause, history)) return 'done'
  const to = addressAt({ accepted, cause, history })
  const facts = { ...noFacts, unreachable: true }
  const holder = await holderToTell({ commands, noteFacts }, { contactId, kind: 'phone', value: to, facts, cause })
  for (const id of [contactId, ...(holder ? [holder.contactId] : [])]) {
    const command = { type: 'NoteSmsUnreachable', data: { contactId: id, phone: to } } as const
    await noteForContact({ commands }, { contactId: id, command, cause, what: `unreachable:${id}` })
  }
  return 'done'
}

/** The reason for which the message failed, also where the receipt that says so came late (M30). */
function reasonOf(cause: Recorded<MessageEvent>): unknown {
  if (cause.type === 'MessageFailed') return cause.data.reason
  return cause.type === 'MessageReceiptIgnored' ? cause.data.facts?.reason : undefined
}

/** A receipt that comes after a delivery does not take it back. */
function saysUnreachable(cause: Recorded<MessageEvent>, history: readonly Recorded<MessageEvent>[]): boolean {
  if (reasonOf(cause) !== 'invalid_address') return false
  if (cause.type === 'MessageReceiptIgnored' && cause.data.address !== undefined) return true
  return cause.type === 'MessageFailed' || !history.some(({ type, revision }) => type === 'MessageDelivered' && revision < cause.revision)
}
