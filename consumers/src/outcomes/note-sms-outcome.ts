import type { EventLog, Recorded } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import type { MessageEvent } from '@tidings/domain'
import type { Job, Verdict } from '@tidings/inbox'
import { causeOf } from './cause-of.ts'
import { noteForContact } from './note-for-contact.ts'

type Noting = Readonly<{ log: EventLog; runner: Pick<CommandRunner, 'execute'> }>

/** A number that can never be reached gets no more text messages (N188). */
export async function noteSmsOutcome({ log, runner }: Noting, job: Job): Promise<Verdict> {
  const { accepted, cause, history } = await causeOf(log, 'SmsAccepted', job)
  if (accepted.erased || !saysUnreachable(cause, history)) return 'done'
  const { contactId, to } = accepted.data
  const command = { type: 'NoteSmsUnreachable', data: { contactId, phone: to } } as const
  await noteForContact({ runner }, { contactId, command, cause, what: 'unreachable' })
  return 'done'
}

/** A receipt that comes after a delivery does not take it back. */
function saysUnreachable(cause: Recorded<MessageEvent>, history: readonly Recorded<MessageEvent>[]): boolean {
  if (cause.type === 'MessageFailed') return cause.data.reason === 'invalid_address'
  if (cause.type !== 'MessageReceiptIgnored' || cause.data.facts?.reason !== 'invalid_address') return false
  return !history.some(({ type, revision }) => type === 'MessageDelivered' && revision < cause.revision)
}
