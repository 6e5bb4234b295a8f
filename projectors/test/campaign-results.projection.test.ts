import {
  asCampaignId,
  asContactId,
  asMessageId,
  type CampaignId,
  type ContactEvent,
  contact,
  type DatedMessageEvent,
  type DomainEvent,
  type EngagementCommand,
  engagement,
  type MessageCommand,
  type MessageEvent,
  message,
} from '@tidings/domain'
import { foldAll } from '@tidings/projections/testing'
import type { CampaignResultRow } from '@tidings/read-models'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { campaignResultsProjection } from '../src/campaign-results.projection.ts'
import { recorded, WORKSPACE } from './recorded.ts'

const K = asCampaignId('0192f0c1-0000-7000-8000-0000000000aa')
const L = '0192f0c1-0000-7000-8000-0000000000ab'
const at = '2026-01-01T00:00:00.000Z'
const later = '2026-01-01T01:00:00.000Z'

const idOf = (n: number): string => `0192f0c1-0000-7000-8000-${String(n).padStart(12, '0')}`
type Campaign = Readonly<{ campaignId: CampaignId; variant: number }> | null

const accepted = (n: number, campaign: Campaign): MessageEvent => ({
  type: 'EmailAccepted',
  data: {
    ...{
      messageId: asMessageId(idOf(n)),
      contactId: asContactId(idOf(n + 500)),
      channel: 'email',
      to: 'a@b.example',
      fromEmail: 'c@d.example',
    },
    ...{ fromName: null, replyTo: null, content: null, contentId: null, templateId: null, kind: 'marketing' },
    ...(campaign && { campaign }),
  } as const,
})

/** A step that may follow after a message was accepted: `leaves` by the link in it. */
type ResultStep = MessageCommand | EngagementCommand | 'leaves' | 'comes back'

const happens: fc.Arbitrary<ResultStep> = fc.constantFrom<ResultStep>(
  { type: 'RecordSent', data: { provider: 'smtp', providerMessageId: '<a@b>' } },
  { type: 'RecordDelivered', data: {} },
  { type: 'RecordBounced', data: { reason: 'hard_bounce', hard: true, detail: null } },
  { type: 'RecordBounced', data: { reason: 'soft_bounce', hard: false, detail: null } },
  { type: 'RecordComplained', data: {} },
  { type: 'RecordFailed', data: { reason: 'undeliverable', detail: null } },
  { type: 'RecordSuppressed', data: { reason: 'global_blocklist' } },
  { type: 'RecordSkipped', data: { reason: 'no_consent' } },
  { type: 'RecordSkipped', data: { reason: 'quiet_hours' } },
  { type: 'RecordOpen', data: { at: later, machine: false } },
  { type: 'RecordOpen', data: { at: later, machine: true } },
  { type: 'RecordClick', data: { at: later, machine: false, link: 0, url: 'https://a.example' } },
  { type: 'RecordClick', data: { at: later, machine: true, link: 0, url: 'https://a.example' } },
  'leaves',
  'comes back',
)

/** One message and its contact, as their deciders let them be. */
class Life {
  readonly #n: number
  readonly #campaign: Campaign
  readonly #events: DatedMessageEvent[]
  readonly #contact: ContactEvent[]

  constructor(n: number, campaign: Campaign) {
    this.#n = n
    this.#campaign = campaign
    this.#events = [{ ...accepted(n, campaign), meta: { at } }]
    const created = { contactId: asContactId(idOf(n + 500)), details: {}, source: 'api' }
    this.#contact = [...contact.decide({ type: 'CreateContact', data: created }, contact.initialState)]
  }

  begin(): readonly DomainEvent[] {
    return [accepted(this.#n, this.#campaign)]
  }

  next(one: ResultStep): readonly DomainEvent[] {
    if (one === 'leaves' || one === 'comes back') return this.#says(one)
    const events =
      one.type === 'RecordOpen' || one.type === 'RecordClick'
        ? engagement.decide(one, this.#events.reduce(engagement.evolve, engagement.initialState))
        : message.decide(one, this.#events.reduce<ReturnType<typeof message.evolve>>(message.evolve, message.initialState))
    this.#events.push(...events.map((event) => ({ ...event, meta: { at } })))
    return events
  }

  #says(one: 'leaves' | 'comes back'): readonly DomainEvent[] {
    const status = one === 'leaves' ? 'unsubscribed' : 'subscribed'
    const by = { messageId: asMessageId(idOf(this.#n)), campaign: this.#campaign }
    const consent = { channel: 'email', status, source: 'one_click', ip: null, userAgent: null } as const
    const consents = [{ ...consent, ...(one === 'leaves' && { message: by }) }]
    const state = this.#contact.reduce(contact.evolve, contact.initialState)
    const events = contact.decide(
      { type: 'RecordConsent', data: { contactId: asContactId(idOf(this.#n + 500)), consents: consents } },
      state,
    )
    this.#contact.push(...events)
    return events
  }
}

type History = Readonly<{ campaigns: readonly Campaign[]; moves: readonly (readonly [number, ResultStep])[] }>

const histories: fc.Arbitrary<History> = fc.record({
  campaigns: fc.array(
    fc.constantFrom<Campaign>(
      null,
      ...[K, L].flatMap((campaignId) => [0, 1].map((variant) => ({ campaignId: asCampaignId(campaignId), variant }))),
    ),
    {
      minLength: 1,
      maxLength: 6,
    },
  ),
  moves: fc.array(fc.tuple(fc.nat({ max: 5 }), happens), { maxLength: 60 }),
})

const eventsOf = ({ campaigns, moves }: History): readonly DomainEvent[] => {
  const lives = campaigns.map((campaign, n) => new Life(n, campaign))
  return [...lives.flatMap((life) => life.begin()), ...moves.flatMap(([n, one]) => lives[n % lives.length]?.next(one) ?? [])]
}

const resultsOf = (events: readonly DomainEvent[]) => {
  const { campaign_results = [] } = foldAll(campaignResultsProjection, recorded(events))
  const rows = (campaign_results as CampaignResultRow[]).filter(({ messages }) => messages !== 0n)
  return Object.fromEntries(rows.map((row) => [[row.campaign_id, row.variant, row.outcome, row.reason].join(' '), Number(row.messages)]))
}

const LEFT = [
  'MessageSent',
  'MessageDelivered',
  'MessageBounced',
  'MessageComplained',
  'MessageFailed',
  'MessageSuppressed',
  'MessageSkipped',
]

/** Counts by looking at all events of each message. */
const naiveCount = (events: readonly DomainEvent[]): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const begun of events) {
    if (begun.type !== 'EmailAccepted' || begun.data.campaign === undefined) continue
    const { messageId, campaign } = begun.data
    const its = events.filter(({ data }) => 'messageId' in data && data.messageId === messageId)
    const types = its.map(({ type }) => type).filter((type) => LEFT.includes(type))
    const count = (outcome: string, isSo: boolean, reason = ''): void => {
      const key = [campaign.campaignId, campaign.variant, outcome, reason].join(' ')
      if (isSo) counts[key] = (counts[key] ?? 0) + 1
    }
    count('accepted', true)
    count('queued', types.length === 0)
    count('sent', types.includes('MessageSent') || types[0] === 'MessageDelivered' || types[0] === 'MessageComplained')
    count('delivered', types.includes('MessageDelivered'))
    count('complained', types.includes('MessageComplained'))
    for (const event of its)
      if (event.type === 'MessageBounced') count('bounced', true, event.data.reason)
      else if (event.type === 'MessageFailed') count('failed', true, event.data.reason)
      else if (event.type === 'MessageSuppressed') count('suppressed', true, event.data.reason)
      else if (event.type === 'MessageSkipped') count('skipped', true, event.data.reason)
    count(
      'opened',
      its.some((event) => event.type === 'EmailOpened' && !event.data.machine),
    )
    count(
      'clicked',
      its.some((event) => event.type === 'EmailClicked' && !event.data.machine),
    )
    const left = events.some(
      ({ type, data }) =>
        type === 'ContactConsentRecorded' &&
        data.message?.messageId === messageId &&
        data.from !== 'unsubscribed' &&
        data.to === 'unsubscribed',
    )
    count('unsubscribed', left)
  }
  return counts
}

test('what is counted is what a look at every event of the log counts', () => {
  fc.assert(
    fc.property(histories, (history) => {
      const events = eventsOf(history)
      expect(resultsOf(events)).toEqual(naiveCount(events))
    }),
    { numRuns: 60 },
  )
})

describe('a message of a campaign', () => {
  const campaign = { campaignId: K, variant: 1 }
  const after = (...moves: readonly ResultStep[]) => {
    const counted = resultsOf(eventsOf({ campaigns: [campaign], moves: moves.map((one) => [0, one]) }))
    return Object.fromEntries(Object.entries(counted).map(([key, messages]) => [key.slice(K.length + 3).trim(), messages]))
  }
  const sent = { type: 'RecordSent', data: { provider: 'smtp', providerMessageId: '<a@b>' } } as const
  const delivered = { type: 'RecordDelivered', data: {} } as const
  const click = { type: 'RecordClick', data: { at: later, machine: false, link: 0, url: 'https://a.example' } } as const

  it('is queued, then sent, then delivered', () => {
    expect(after()).toEqual({ queued: 1, accepted: 1 })
    expect(after(sent)).toEqual({ accepted: 1, sent: 1 })
    expect(after(sent, delivered)).toEqual({ accepted: 1, sent: 1, delivered: 1 })
  })

  it('is sent once where its receipt comes before the answer of the provider', () => {
    expect(after(delivered)).toEqual({ accepted: 1, sent: 1, delivered: 1 })
    expect(after(delivered, sent)).toEqual({ accepted: 1, sent: 1, delivered: 1 })
  })

  it('is clicked in once, however often, and not by a machine', () => {
    expect(after(sent, click, click, { ...click, data: { ...click.data, machine: true } })).toEqual({ accepted: 1, sent: 1, clicked: 1 })
    expect(after(sent, { ...click, data: { ...click.data, machine: true } })).toEqual({ accepted: 1, sent: 1 })
  })

  it('loses a contact once, who may come back and leave again', () => {
    expect(after(sent, 'leaves', 'leaves', 'comes back', 'leaves')).toEqual({ accepted: 1, sent: 1, unsubscribed: 1 })
  })

  it('leaves nothing that waits once it was sent, and a row of the workspace while it waits', () => {
    const queue = (...moves: readonly ResultStep[]) =>
      foldAll(campaignResultsProjection, recorded(eventsOf({ campaigns: [campaign], moves: moves.map((one) => [0, one]) }))).campaign_queue
    expect(queue()).toEqual([{ workspace_id: WORKSPACE, message_id: asMessageId(idOf(0)), taken: false }])
    expect(queue(sent)).toEqual([])
    expect(queue(delivered, sent)).toEqual([])
  })
})
