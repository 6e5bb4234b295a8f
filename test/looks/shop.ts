import {
  asCampaignId,
  asContactId,
  asListId,
  asMessageId,
  asTemplateId,
  bucketOf,
  type CampaignId,
  campaignStream,
  contactStream,
  type DomainEvent,
  type MessageId,
  membersStream,
  messageStream,
  type TemplateId,
  type WorkspaceId,
} from '@tidings/domain'
import { paths } from '../../dashboard/src/paths.ts'
import type { Client } from '../e2e/support/client.ts'

// The shop whose screens are drawn: what happened there, with the same ids at the same moments in every run.

/** The moment at which the screens are looked at: Tuesday, 10 March 2026, 14:03 in the zone of the shop. */
export const NOW = '2026-03-10T12:03:07.000Z'
export const ZONE = 'Asia/Jerusalem'
export const OWNER = 'dana@shop.example'

const RECEIPT = 'Thank you, נועה. Your tea is on its way.'
export const FILE = `workspace: { slug: shop, name: Shop }
apiKeys: [{ name: checkout }]
senderAddresses: [{ email: hello@shop.example, name: Shop, verified: true }]
users: [{ email: ${OWNER}, password: correct horse battery, role: owner }]
credits: 88
senderDomains: [{ domain: shop.example, verified: true }, { domain: tea.example }]
templates:
  - { name: receipt, channel: email, subject: "${RECEIPT}", html: "<h1>${RECEIPT}</h1>" }
  - { name: spring, channel: email, subject: Spring is here, html: "<h1>Spring is here</h1>" }
  - { name: spring-2, channel: email, subject: The first flush, html: "<h1>The first flush</h1>" }
lists: [{ name: Newsletter, type: static }]
campaigns: [{ name: Spring sale, channel: email, list: Newsletter, variants: [{ template: spring, weight: 2 }, { template: spring-2, weight: 1 }], from: hello@shop.example }]`

const FIRST = ['נועה', 'Ada', 'Grace', 'Katherine', 'Radia', 'Barbara', 'Hedy', 'Joan']
const LAST = ['לוי', 'Lovelace', 'Hopper', 'Johnson', 'Perlman']
const PEOPLE = FIRST.length * LAST.length
const DAYS = 30
const RECIPIENTS = 15

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
/** A moment: so many minutes of a day, so many days before now. */
const timeAt = (daysAgo: number, minutes: number): string =>
  new Date(Date.parse('2026-03-10T00:00:00Z') - daysAgo * DAY_MS + minutes * MINUTE_MS).toISOString()

/** When the workspace was made. */
export const OPENED = timeAt(DAYS - 1, 6 * 60)

const idOf = (kind: number, number: number): string => `0192f000-0000-7000-8${kind}00-${String(number).padStart(12, '0')}`
const contactAt = (index: number) => asContactId(idOf(1, index))
const nameAt = (index: number) => ({ firstName: FIRST[index % FIRST.length] ?? '', lastName: LAST[index % LAST.length] ?? '' })
const addressAt = (index: number): string => (index === 0 ? 'noa@example.com' : `person-${index}@example.com`)

/** What one stream gets in one append. */
export type StreamHistory = Readonly<{ stream: string; events: readonly Readonly<{ at: string; actor: string; event: DomainEvent }>[] }>

type Shop = Readonly<{ workspaceId: WorkspaceId; client: Client }>

const joined = ({ workspaceId, client }: Shop, index: number): readonly StreamHistory[] => {
  const [contactId, at] = [contactAt(index), timeAt(DAYS - 2 - Math.floor((index * (DAYS - 4)) / PEOPLE), 12 * 60 + index)]
  const listId = asListId(client.applied.lists.Newsletter ?? '')
  const actor = 'form:footer'
  const created: DomainEvent = {
    type: 'ContactCreated',
    data: {
      ...{ contactId, email: addressAt(index), emailClaimId: null, phone: null, phoneClaimId: null, source: 'form:footer' },
      ...nameAt(index),
      ...{ locale: index === 0 ? 'he' : 'en', tags: [] },
    },
  }
  const said: DomainEvent = {
    type: 'ContactConsentRecorded',
    data: {
      ...{ contactId, channel: 'email', from: 'never_subscribed', to: 'subscribed', source: 'form:footer' },
      ...{ ip: '203.0.113.7', userAgent: 'Mozilla/5.0', message: null },
    },
  }
  const added: DomainEvent = { type: 'ContactAddedToList', data: { listId, contactId, reason: 'request' } }
  return [
    { stream: contactStream(workspaceId, contactId), events: [created, said].map((event) => ({ at, actor, event })) },
    { stream: membersStream(workspaceId, listId, bucketOf(contactId)), events: [{ at, actor, event: added }] },
  ]
}

type Mail = Readonly<{
  number: number
  person: number
  daysAgo: number
  minutes: number
  template: TemplateId
  campaign?: Readonly<{ campaignId: CampaignId; variant: number }>
}>

/** The mail that is drawn is the first one. */
const isLost = ({ number }: Mail): boolean => number % 17 === 5
const isCapped = ({ number, campaign }: Mail): boolean => campaign !== undefined && number % 9 === 4

/** What became of a mail, each step some minutes behind the one before. */
const outcomesOf = (mail: Mail, of: MailFacts): readonly DomainEvent[] => {
  if (isCapped(mail)) return [{ type: 'MessageSkipped', data: { ...of, reason: 'frequency_cap' } }]
  const sent: DomainEvent = { type: 'MessageSent', data: { ...of, provider: 'smtp', providerMessageId: of.messageId } }
  if (isLost(mail)) return [sent, { type: 'MessageBounced', data: { ...of, reason: 'soft_bounce', hard: false, detail: 'mailbox full' } }]
  const opened: DomainEvent = { type: 'EmailOpened', data: { ...of, machine: false } }
  const clicked: DomainEvent = { type: 'EmailClicked', data: { ...of, machine: false, link: 0, url: 'https://shop.example/spring' } }
  return [
    sent,
    { type: 'MessageDelivered', data: of },
    ...(mail.number % 3 === 0 ? [opened] : []),
    ...(mail.number % 6 === 0 ? [clicked] : []),
  ]
}

type MailFacts = Readonly<{
  messageId: MessageId
  contactId: ReturnType<typeof contactAt>
  channel: 'email'
  campaign?: NonNullable<Mail['campaign']>
}>

const mailed = ({ workspaceId, client }: Shop, mail: Mail): StreamHistory => {
  const { number, person, daysAgo, minutes, template, campaign } = mail
  const of: MailFacts = {
    ...{ messageId: asMessageId(idOf(2, number)), contactId: contactAt(person), channel: 'email' },
    ...(campaign && { campaign }),
  }
  const subject = campaign === undefined ? RECEIPT : 'Spring is here'
  const accepted: DomainEvent = {
    type: 'EmailAccepted',
    data: {
      ...of,
      ...{ to: addressAt(person), fromEmail: client.fromEmail, fromName: 'Shop', replyTo: null, contentId: null, templateId: template },
      ...{ content: { subject, html: `<h1>${subject}</h1><p>It arrives on Thursday.</p>`, text: subject } },
      kind: campaign === undefined ? 'transactional' : 'marketing',
    },
  }
  const events = [accepted, ...outcomesOf(mail, of)].map((event, step) => ({
    at: timeAt(daysAgo, minutes + 3 * step),
    actor: 'pipeline',
    event,
  }))
  return { stream: messageStream(workspaceId, of.messageId), events }
}

/** The campaign went out yesterday; every third got the other template. */
const sold = (shop: Shop): readonly StreamHistory[] => {
  const { applied } = shop.client
  const [spring, second] = [asTemplateId(applied.templates.spring ?? ''), asTemplateId(applied.templates['spring-2'] ?? '')]
  const campaignId = asCampaignId(applied.campaigns['Spring sale'] ?? '')
  const started: DomainEvent = {
    type: 'CampaignStarted',
    data: {
      ...{ campaignId, listId: asListId(applied.lists.Newsletter ?? ''), startedAt: timeAt(1, 8 * 60), senderId: null, quietHours: 'wait' },
      senderAddressId: applied.senderAddresses['hello@shop.example'] ?? null,
      variants: [spring, second].map((templateId, index) => ({ templateId, weight: 2 - index })),
    },
  }
  const events = [
    { at: timeAt(1, 8 * 60), actor: `user:${applied.users[OWNER]}`, event: started },
    {
      at: timeAt(1, 8 * 60),
      actor: 'pipeline',
      event: { type: 'CampaignAudienceTaken', data: { campaignId, recipients: RECIPIENTS } } as const,
    },
    { at: timeAt(1, 8 * 60 + 8), actor: 'pipeline', event: { type: 'CampaignSent', data: { campaignId } } as const },
  ]
  const mails = Array.from({ length: RECIPIENTS }, (_, person) => {
    const variant = person % 3 === 2 ? 1 : 0
    const mail = { number: 500 + person, person, daysAgo: 1, minutes: 8 * 60 + Math.floor(person / 5), campaign: { campaignId, variant } }
    return mailed(shop, { ...mail, template: variant === 1 ? second : spring })
  })
  return [{ stream: campaignStream(shop.workspaceId, campaignId), events }, ...mails]
}

/** Receipts of each day: fewer at weekends, more of late. */
const bought = (shop: Shop): readonly StreamHistory[] => {
  const template = asTemplateId(shop.client.applied.templates.receipt ?? '')
  const days = Array.from({ length: DAYS }, (_, index) => index)
  const orders = days.flatMap((daysAgo) => Array.from({ length: 2 + ((daysAgo * 5) % 4) + (daysAgo < 8 ? 2 : 0) }, () => daysAgo))
  return orders.map((daysAgo, number) =>
    mailed(shop, { number, person: (number * 7) % PEOPLE, daysAgo, minutes: 7 * 60 + ((number * 37) % 180), template }),
  )
}

/** All that happened, in its order. */
export function historyOf(shop: Shop): readonly StreamHistory[] {
  const people = Array.from({ length: PEOPLE }, (_, index) => joined(shop, index)).flat()
  const at = ({ events }: StreamHistory): string => events[0]?.at ?? ''
  return [...people, ...bought(shop), ...sold(shop)].toSorted((a, b) => (at(a) < at(b) ? -1 : at(a) > at(b) ? 1 : 0))
}

export type Screen = 'overview' | 'profile' | 'message' | 'campaign' | 'projections'

/** The addresses of the five screens of the design that show most. */
export function screensOf({ applied }: Client): Readonly<Record<Screen, string>> {
  return {
    overview: paths.overview('shop'),
    profile: paths.profile('shop', contactAt(0)),
    message: paths.message('shop', idOf(2, 0)),
    campaign: paths.campaign('shop', applied.campaigns['Spring sale'] ?? ''),
    projections: paths.systemProjections(),
  }
}
