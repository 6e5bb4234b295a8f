import { uuidv7 } from '@tidings/codec'
import {
  asContactId,
  asMessageId,
  type ContactEvent,
  type ContactId,
  claimStream,
  contactStream,
  type MessageEvent,
  type MessageId,
  messageStream,
} from '@tidings/domain'
import { WORKSPACE_ID } from './engine.ts'
import { madeUpPerson } from './people.ts'
import { HTML } from './workspace.ts'

type HistoryAppend = Readonly<{
  stream: string
  expected: 'no_stream' | number
  events: readonly (ContactEvent | MessageEvent | Readonly<{ type: 'ClaimTaken'; data: object }>)[]
}>

/** What happens as one person comes: appends to streams of many people. */
export type Round = readonly HistoryAppend[]

type Sent = Readonly<{ messageId: MessageId; contactId: ContactId; channel: 'email' }>
/** `digest`: names the claim of an address. */
type HistoryOptions = Readonly<{ rounds: number; digest: (email: string) => Promise<string> }>

/** Three of the person who comes; a round accepts four emails, and sends and delivers as many older ones. */
export const EVENTS_A_ROUND = 15
const MESSAGES_A_ROUND = 4
/** An email is sent, and delivered, so many rounds later. */
const SENT_AFTER = 150
const DELIVERED_AFTER = 400

/** The address of the `number`-th person of a history. */
export function addressOf(number: number): string {
  return `person${number}@example.com`
}

const coming = (number: number, digest: string, contactId: ContactId): Round => {
  const { phone, first_name: firstName, last_name: lastName } = madeUpPerson(number)
  const claimId = uuidv7()
  const details = { firstName, lastName, timezone: 'Europe/London', locale: 'en', notes: null, tags: ['shop'] }
  const created = {
    ...{ contactId, email: addressOf(number), emailClaimId: claimId, phone, phoneClaimId: phone && uuidv7(), source: 'api' as const },
    ...{ ...details, customProperties: { points: number % 1_000 } },
  }
  const consent = { contactId, channel: 'email', from: 'never_subscribed', to: 'subscribed', source: 'api', message: null } as const
  const by = { ip: '203.0.113.7', userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }
  return [
    {
      stream: claimStream(WORKSPACE_ID, 'email', digest),
      expected: 'no_stream',
      events: [{ type: 'ClaimTaken', data: { claimId, ownerId: contactId } }],
    },
    {
      stream: contactStream(WORKSPACE_ID, contactId),
      expected: 'no_stream',
      events: [
        { type: 'ContactCreated', data: created },
        { type: 'ContactConsentRecorded', data: { ...consent, ...by } },
      ],
    },
  ]
}

const accepting = (sent: Sent, to: string): HistoryAppend => {
  const from = { fromEmail: 'hello@bench.example', fromName: 'Bench', replyTo: null }
  const content = { subject: 'Your order is on its way', html: HTML, text: null }
  const data = { ...sent, to, ...from, content, contentId: null, templateId: null, kind: 'transactional', ip: '203.0.113.7' } as const
  return { stream: messageStream(WORKSPACE_ID, sent.messageId), expected: 'no_stream', events: [{ type: 'EmailAccepted', data }] }
}

const later = (messages: readonly Sent[] | undefined, expected: number): Round =>
  (messages ?? []).map((sent) => {
    const data = { ...sent, provider: 'smtp', providerMessageId: `<${sent.messageId}@bench.example>` }
    const event = expected === 0 ? ({ type: 'MessageSent', data } as const) : ({ type: 'MessageDelivered', data: sent } as const)
    return { stream: messageStream(WORKSPACE_ID, sent.messageId), expected, events: [event] }
  })

/**
 * What happens in a workspace that sends, round by round. Emails go to anybody who came before, so a stream's events lie far apart: what an append
 * looks up of the streams and ids before it is as scattered as in a log that has grown.
 */
export async function* history({ rounds, digest }: HistoryOptions): AsyncGenerator<Round> {
  const contactIds: ContactId[] = []
  const messages = new Map<number, readonly Sent[]>()
  for (let round = 0; round < rounds; round++) {
    const contactId = asContactId(uuidv7())
    contactIds.push(contactId)
    const recipients = Array.from(
      { length: MESSAGES_A_ROUND },
      (_, n) => (Math.imul(round * MESSAGES_A_ROUND + n, 0x9e3779b1) >>> 0) % (round + 1),
    )
    const accepted = recipients.map((number) => ({
      messageId: asMessageId(uuidv7()),
      contactId: contactIds[number] ?? contactId,
      channel: 'email' as const,
    }))
    messages.set(round, accepted)
    yield [
      ...coming(round, await digest(addressOf(round)), contactId),
      ...accepted.map((sent, n) => accepting(sent, addressOf(recipients[n] ?? round))),
      ...later(messages.get(round - SENT_AFTER), 0),
      ...later(messages.get(round - DELIVERED_AFTER), 1),
    ]
    messages.delete(round - DELIVERED_AFTER)
  }
}
