import { emailKey } from '@tidings/addresses'
import type { Recorded, StreamReader } from '@tidings/codec'
import type { CommandExecutor, StateLoader } from '@tidings/commands'
import {
  type ContactId,
  contact,
  contactStream,
  FACTS_OF_OUTCOME,
  type MessageEvent,
  type MessageReceiptIgnored,
  type NoteEmailOutcome,
  type WorkspaceId,
} from '@tidings/domain'
import type { Job, Verdict } from '@tidings/jobs'
import { enhancedCodeOf } from '@tidings/providers'
import { addressAt, causeOf } from './cause-of.ts'
import { holderToTell, type NoteFacts } from './holder-to-tell.ts'
import { noteForContact } from './note-for-contact.ts'

export type Noting = Readonly<{
  log: StreamReader
  commands: CommandExecutor & StateLoader
  noteFacts?: NoteFacts | undefined
}>
type Noted = NoteEmailOutcome['data']['outcome']

/** Draws the consequences of one outcome for the contact (N48, N171, N188). */
export async function noteOutcome({ log, commands, noteFacts }: Noting, job: Job): Promise<Verdict> {
  const { accepted, cause, history } = await causeOf(log, 'EmailAccepted', job)
  if (accepted.erased) return 'done'
  const { contactId } = accepted.data
  const to = addressAt({ accepted, cause, history })
  for (const outcome of outcomesOf(cause, history)) {
    const command = { type: 'NoteEmailOutcome', data: { contactId, email: to, outcome } } as const
    const facts = FACTS_OF_OUTCOME[outcome]
    const address = { contactId, kind: 'email', value: to } as const
    const holder =
      facts === null || outcome === 'delivered' ? null : await holderToTell({ commands, noteFacts }, { ...address, facts, cause })
    const isUsual = outcome === 'delivered' && emailKey(to) === to
    const email = isUsual ? to : await asContactHas(commands, cause.meta.workspaceId, { contactId, to })
    await noteForContact({ commands }, { contactId, command: { ...command, data: { ...command.data, email } }, cause, what: outcome })
    if (holder === null) continue
    const toHolder = { ...command, data: { ...command.data, contactId: holder.contactId, email: holder.state.email ?? to } }
    await noteForContact({ commands }, { contactId: holder.contactId, command: toHolder, cause, what: `${outcome}:holder` })
  }
  return 'done'
}

/** The address in the spelling of the contact's stream: a log from before M46 may have another than its mail. */
async function asContactHas(
  commands: Noting['commands'],
  workspaceId: WorkspaceId,
  { contactId, to }: Readonly<{ contactId: ContactId; to: string }>,
): Promise<string> {
  const { state } = await commands.load({ decider: contact, stream: contactStream(workspaceId, contactId), workspaceId })
  return state.email !== null && emailKey(state.email) === emailKey(to) ? state.email : to
}

/** A hard bounce suppresses; one that says the address is bad also marks it invalid (N48). */
const hardBounce = (detail: unknown): readonly Noted[] =>
  typeof detail === 'string' && saysBadAddress(detail) ? ['hard_bounce', 'invalid_address'] : ['hard_bounce']

function outcomesOf(cause: Recorded<MessageEvent>, history: readonly Recorded<MessageEvent>[]): readonly Noted[] {
  switch (cause.type) {
    case 'MessageDelivered':
      return ['delivered']
    case 'EmailOpened':
      // An open implies delivery (N48).
      return ['delivered']
    case 'MessageComplained':
      return ['spam_complaint']
    case 'MessageBounced':
      return hardBounce(cause.data.detail)
    case 'MessageReceiptIgnored':
      return isNews(cause, history) ? outcomesOfLate(cause.data) : []
    default:
      return []
  }
}

/** Whatever the status is, the provider said it (M30). */
const outcomesOfLate = ({ receipt, facts }: MessageReceiptIgnored['data']): readonly Noted[] => {
  if (receipt === 'delivered') return ['delivered']
  if (receipt === 'complained') return ['spam_complaint']
  return receipt === 'bounced' ? hardBounce(facts?.detail) : []
}

/**
 * A late receipt counts unless an earlier event said the same: the contact may have been subscribed or released again since. A delivery does
 * not count either after a bounce, which took it back. One about an address that the message was readdressed from is kept once: it is news.
 */
const isNews = ({ revision, data }: Recorded<MessageReceiptIgnored>, history: readonly Recorded<MessageEvent>[]): boolean => {
  const saidBefore: Readonly<Record<MessageReceiptIgnored['data']['receipt'], (event: MessageEvent) => boolean>> = {
    delivered: ({ type }) => type === 'MessageDelivered' || type === 'MessageBounced',
    bounced: (event) => event.type === 'MessageBounced' && event.data.hard,
    complained: ({ type }) => type === 'MessageComplained',
    failed: () => true,
  }
  if (data.address !== undefined) return true
  return !history.some((event) => event.revision < revision && saidBefore[data.receipt](event))
}

/** RFC 3463 §3.2: X.1.x is about an address; X.1.7 and X.1.8 are about the sender's. */
const BAD_ADDRESS = /^5\.1\.(?![78]$)/
/** The status of a report, which stands before the server's answer: `5.1.1 (no such user) smtp; 550 5.1.1 no such user`. */
const STATUS = /^([245]\.\d{1,3}\.\d{1,3})(?![.\w])/
const ANSWER = /(?:^|\bsmtp\s*;\s*)(\d{3}[ -].*)$/is

/** Whether what a provider said of a bounce names the address as bad. Only a code at its place counts: other digits with dots are an IP address. */
export function saysBadAddress(detail: string): boolean {
  const said = detail.trim()
  const status = STATUS.exec(said)?.[1] ?? ''
  return [status, enhancedCodeOf(ANSWER.exec(said)?.[1] ?? said)].some((code) => BAD_ADDRESS.test(code))
}
