import type { Recorded } from '@tidings/codec'
import { asContactId, asMessageId, type ContactEvent, type DomainEvent, type MessageEvent } from '@tidings/domain'
import { foldAll } from '@tidings/projections/testing'
import type { ConsentHourRow, ConsentTotalRow, MessageHourRow } from '@tidings/read-models'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { figuresProjection } from '../../src/figures/figures.projection.ts'
import { histories } from '../histories.ts'
import { WORKSPACE } from '../recorded.ts'

const HOUR = 3_600_000
const BEGIN = Date.UTC(2026, 0, 1)

type Step = Readonly<{ event: DomainEvent; workspaceId: typeof WORKSPACE; at: string }>

const recorded = (steps: readonly Step[]): readonly Recorded[] =>
  steps.map(({ event, workspaceId, at }, n) => ({
    ...event,
    id: String(n),
    stream: 'any',
    revision: n,
    position: { commit: BigInt(n + 1), prepare: 0n },
    created: at,
    meta: { workspaceId, actor: 'test', requestId: 'test', schemaVersion: 1, at },
    erased: false,
  }))

const tablesOf = (steps: readonly Step[]) => {
  const folded = foldAll(figuresProjection, recorded(steps))
  const hours = (folded.message_hours ?? []) as MessageHourRow[]
  const consents = (folded.consent_hours ?? []) as ConsentHourRow[]
  const totals = ((folded.consent_totals ?? []) as ConsentTotalRow[]).filter(({ contacts }) => contacts !== 0n)
  return { hours, consents, totals, said: folded.said_consents ?? [] }
}

type QuarterRow = Readonly<{ q1: bigint; q2: bigint; q3: bigint; q4: bigint }>
/** The quarters of a row in which something was counted, from 1, with the number. */
const countsOf = ({ q1, q2, q3, q4 }: QuarterRow): readonly (readonly [number, number])[] =>
  [q1, q2, q3, q4].flatMap((count, n) => (count === 0n ? [] : [[n + 1, Number(count)] as const]))

const OUTCOMES: Readonly<Record<string, string>> = {
  ...{ EmailAccepted: 'accepted', SmsAccepted: 'accepted', PushAccepted: 'accepted', PasscodeAccepted: 'accepted', MessageSent: 'sent' },
  ...{ MessageDelivered: 'delivered', MessageBounced: 'bounced', MessageComplained: 'complained', MessageFailed: 'failed' },
  ...{ MessageSuppressed: 'suppressed', MessageSkipped: 'skipped', EmailOpened: 'opened', EmailClicked: 'clicked', PushClicked: 'clicked' },
}

/** Counts by looking at each event of the log, with a set of the messages that were clicked in. */
const naiveCount = (steps: readonly Step[]): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  const clicked = new Set<string>()
  for (const { event, workspaceId, at } of steps) {
    const outcome = OUTCOMES[event.type]
    if (outcome === undefined || !('messageId' in event.data)) continue
    const data: { messageId: string; machine?: boolean; campaign?: object; contactId?: unknown; channel?: string } = event.data
    if (data.machine || (outcome === 'clicked' && clicked.has(data.messageId))) continue
    if (outcome === 'clicked') clicked.add(data.messageId)
    const kind = data.campaign ? 'campaign' : data.contactId === null ? 'passcode' : 'single'
    const minutes = (Date.parse(at) - BEGIN) / 60_000
    const key = [workspaceId, `${Math.floor(minutes / 60)}.${Math.floor((minutes % 60) / 15) + 1}`, data.channel, kind, outcome].join(' ')
    counts[key] = (counts[key] ?? 0) + 1
  }
  return counts
}

/** What each contact has said last, of those that are not erased. */
const naiveTotals = (steps: readonly Step[]): Readonly<Record<string, number>> => {
  const said = new Map<string, string>()
  for (const { event, workspaceId } of steps) {
    if (event.type === 'ContactConsentRecorded')
      said.set([workspaceId, event.data.contactId, event.data.channel].join(' '), [event.data.channel, event.data.to].join(' '))
    if (event.type === 'ContactErasureRequested' || event.type === 'ContactErased')
      for (const channel of ['email', 'sms', 'push']) said.delete([workspaceId, event.data.contactId, channel].join(' '))
  }
  const totals: Record<string, number> = {}
  for (const [key, now] of said) {
    const name = `${key.slice(0, 36)} ${now}`
    if (!now.endsWith(' never_subscribed')) totals[name] = (totals[name] ?? 0) + 1
  }
  return totals
}

/** The steps of some streams, at seventeen minutes from each other: an hour has three or four. */
const spread: fc.Arbitrary<readonly Step[]> = histories.map((steps) =>
  steps.map(({ event, workspaceId }, n) => ({ event, workspaceId, at: new Date(BEGIN + n * 17 * 60_000).toISOString() })),
)

test('what the hours say is what a look at every event of the log says', () => {
  fc.assert(
    fc.property(spread, (steps) => {
      const { hours, consents, totals } = tablesOf(steps)
      const counted = hours.flatMap(({ workspace_id, hour, channel, kind, outcome, ...row }) =>
        countsOf(row).map(([quarter, count]) => [
          [workspace_id, `${hour - BEGIN / HOUR}.${quarter}`, channel, kind, outcome].join(' '),
          count,
        ]),
      )
      expect(Object.fromEntries(counted)).toEqual(naiveCount(steps))
      expect(Object.fromEntries(totals.map((one) => [`${one.workspace_id} ${one.channel} ${one.status}`, Number(one.contacts)]))).toEqual(
        naiveTotals(steps),
      )
      for (const { workspace_id, channel, status, contacts } of totals) {
        const own = consents.filter((one) => one.workspace_id === workspace_id && one.channel === channel && one.status === status)
        expect(own.reduce((sum, { q1, q2, q3, q4 }) => sum + q1 + q2 + q3 + q4, 0n)).toBe(contacts)
      }
    }),
    { numRuns: 60 },
  )
})

const message = {
  messageId: asMessageId('0192f0c1-0000-7000-8000-0000000000b1'),
  contactId: asContactId(WORKSPACE),
  channel: 'email',
} as const
const at = (minute: number): string => new Date(BEGIN + minute * 60_000).toISOString()
const step = (event: MessageEvent | ContactEvent, minute: number): Step => ({ event, workspaceId: WORKSPACE, at: at(minute) })
const click = (machine: boolean, link: number): MessageEvent => ({
  type: 'EmailClicked',
  data: { ...message, machine, link, url: 'https://shop.example' },
})
const says = (from: 'never_subscribed' | 'subscribed', to: 'subscribed' | 'unsubscribed'): ContactEvent => ({
  type: 'ContactConsentRecorded',
  data: {
    ...{ contactId: message.contactId, channel: 'email', from, to, source: 'form', ip: null, userAgent: null, message: null },
  } as const,
})
const linesOf = (steps: readonly Step[]): readonly string[] =>
  tablesOf(steps).hours.flatMap(({ hour, channel, kind, outcome, ...row }) =>
    countsOf(row).map(([quarter, count]) => `${hour - BEGIN / HOUR}.${quarter} ${channel} ${kind} ${outcome} ${count}`),
  )

describe('a message', () => {
  it('is clicked in once, in the hour of the first click, and not by a machine', () => {
    expect(linesOf([step(click(true, 0), 10), step(click(false, 1), 70), step(click(false, 2), 80), step(click(false, 1), 200)])).toEqual([
      '1.1 email single clicked 1',
    ])
  })

  it('is counted on the last millisecond of an hour in that hour, and on the next in the next', () => {
    const sent: MessageEvent = { type: 'MessageSent', data: { ...message, provider: 'smtp', providerMessageId: '<a@b>' } }
    const late = { ...step(sent, 0), at: '2026-01-01T00:59:59.999Z' }
    expect(linesOf([late, { ...late, at: '2026-01-01T01:00:00.000Z' }])).toEqual(['0.4 email single sent 1', '1.1 email single sent 1'])
  })

  it('counts before 1970 too, where a clock was reset', () => {
    const early = { ...step({ type: 'MessageDelivered', data: message }, 0), at: '1969-12-31T23:30:00.000Z' }
    expect(tablesOf([early]).hours).toMatchObject([{ hour: -1, q3: 1n }])
  })
})

describe('a contact', () => {
  it('that repeats what it said is counted once', () => {
    const steps = [step(says('never_subscribed', 'subscribed'), 5), step(says('subscribed', 'subscribed'), 70)]
    expect(tablesOf(steps).consents).toMatchObject([{ status: 'subscribed', q1: 1n }])
  })

  it('that is erased leaves its consent, once, and leaves no row', () => {
    const steps = [
      step(says('never_subscribed', 'subscribed'), 5),
      step({ type: 'ContactErasureRequested', data: { contactId: message.contactId } }, 70),
      step({ type: 'ContactErased', data: { contactId: message.contactId } }, 130),
    ]
    const { consents, totals, said } = tablesOf(steps)
    expect(consents.map(({ hour, ...row }) => [hour - BEGIN / HOUR, ...countsOf(row)])).toEqual([
      [0, [1, 1]],
      [1, [1, -1]],
    ])
    expect([totals, said]).toEqual([[], []])
  })

  it('whose statement comes between the request to erase it and the end leaves that one too', () => {
    const steps = [
      step({ type: 'ContactErasureRequested', data: { contactId: message.contactId } }, 0),
      step(says('never_subscribed', 'subscribed'), 5),
      step({ type: 'ContactErased', data: { contactId: message.contactId } }, 10),
    ]
    expect(tablesOf(steps).totals).toEqual([])
  })
})
