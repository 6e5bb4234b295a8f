import { randomUUID } from 'node:crypto'
import {
  activityStream,
  asContactId,
  asMessageId,
  type ContactId,
  contactStream,
  type DomainEvent,
  messageStream,
  type WorkspaceId,
} from '@tidings/domain'
import type { Dated, Written } from './append-to-log.ts'

/** The events of a workspace as analysts count them: consents, mails, what people did. `seed` makes it the same each time, but for ids. */
export function workloadOf(workspaceId: WorkspaceId, contacts: number, seed: number): readonly Written[] {
  const random = randomFrom(seed)
  return Array.from({ length: contacts }, () => contactOf(workspaceId, random)).flat()
}

type Random = (choices: number) => number

/** A linear congruential generator: numbers below `choices`. */
const randomFrom = (seed: number): Random => {
  let state = seed
  return (choices) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * choices)
  }
}

const START = Date.UTC(2026, 9, 1)
const HOUR_MS = 3_600_000
const timeAt = (hours: number): string => new Date(START + hours * HOUR_MS + 60_000).toISOString()

const DOMAINS = ['gmail.example', 'Yahoo.example', 'corp.example']
const EVENTS = ['order_placed', 'cart_left']
const SOURCES = ['api', 'form', 'import']
const STATES = ['subscribed', 'unsubscribed', 'cleaned'] as const

const contactOf = (workspaceId: WorkspaceId, random: Random): readonly Written[] => {
  const contactId = asContactId(randomUUID())
  const mails = Array.from({ length: random(4) }, () => mailOf(workspaceId, contactId, random))
  const activities = Array.from({ length: random(3) }, () => activityOf(workspaceId, contactId, random))
  return [{ stream: contactStream(workspaceId, contactId), workspaceId, events: consentsOf(contactId, random) }, ...mails, ...activities]
}

const consentsOf = (contactId: ContactId, random: Random): readonly Dated[] => {
  const said: Dated[] = []
  let from: 'never_subscribed' | (typeof STATES)[number] = 'never_subscribed'
  for (let n = 0; n <= random(5); n++) {
    const to = STATES[random(STATES.length)] ?? 'subscribed'
    const ofPerson = { contactId, source: SOURCES[random(SOURCES.length)] ?? 'api', ip: '203.0.113.7', userAgent: 'Mozilla/5.0' }
    const event: DomainEvent = {
      type: 'ContactConsentRecorded',
      data: { ...ofPerson, channel: random(3) === 0 ? 'sms' : 'email', from, to, message: null },
    }
    said.push({ at: timeAt(random(200)), event })
    from = to
  }
  return said
}

const mailOf = (workspaceId: WorkspaceId, contactId: ContactId, random: Random): Written => {
  const ofMail = { messageId: asMessageId(randomUUID()), contactId, channel: 'email' } as const
  const sentAt = random(200)
  const accepted: DomainEvent = {
    type: 'EmailAccepted',
    data: {
      ...ofMail,
      ...{ to: `${contactId}@${DOMAINS[random(DOMAINS.length)]}`, fromEmail: 'hello@acme.example', fromName: null, replyTo: null },
      ...{ content: null, contentId: randomUUID(), templateId: null, kind: 'marketing' },
    },
  }
  const bounced: DomainEvent = { type: 'MessageBounced', data: { ...ofMail, reason: 'hard_bounce', hard: true, detail: null } }
  const after = [
    { type: 'MessageSent', data: { ...ofMail, provider: 'smtp', providerMessageId: ofMail.messageId } } as const,
    random(5) === 0 ? bounced : ({ type: 'MessageDelivered', data: ofMail } as const),
    ...(random(8) === 0 ? [{ type: 'MessageComplained', data: ofMail } as const] : []),
    ...(random(2) === 0 ? [{ type: 'EmailOpened', data: { ...ofMail, machine: random(3) === 0 } } as const] : []),
    ...(random(3) === 0
      ? [{ type: 'EmailClicked', data: { ...ofMail, machine: random(3) === 0, link: 0, url: 'https://a.example' } } as const]
      : []),
  ]
  const events = [accepted, ...after].map((event, n) => ({ at: timeAt(sentAt + n * 2), event }))
  return { stream: messageStream(workspaceId, ofMail.messageId), workspaceId, events }
}

const activityOf = (workspaceId: WorkspaceId, contactId: ContactId, random: Random): Written => {
  const [activityId, at] = [randomUUID(), timeAt(random(200))]
  const event: DomainEvent = {
    type: 'ActivityRecorded',
    data: {
      ...{ activityId, contactId, event: EVENTS[random(EVENTS.length)] ?? 'order_placed', source: 'api', occurredAt: at },
      ...{ properties: { total: random(100) }, propertyNames: ['total'] },
    },
  }
  return { stream: activityStream(workspaceId, activityId), workspaceId, events: [{ at, event }] }
}
