import type { Recorded } from '@tidings/codec'
import { asContactId, asWorkspaceId, type ConsentChannel, type ConsentStatus, type ContactEvent } from '@tidings/domain'
import { positionText } from '@tidings/event-store'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CONSENT_CHANNELS, consentAt } from '../../src/consent/consent-at.ts'

const contactId = asContactId('0192f0c1-0000-7000-8000-000000000001')
const time = (n: number): string => new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString()

type Written = Readonly<{ event: ContactEvent; second: number; request: string; actor: string }>

const statuses = fc.constantFrom<ConsentStatus[]>('subscribed', 'unsubscribed', 'never_subscribed', 'cleaned')
const consent = fc.record({ channel: fc.constantFrom<ConsentChannel[]>('email', 'sms', 'push'), from: statuses, to: statuses }).map(
  (said): ContactEvent => ({
    type: 'ContactConsentRecorded',
    data: { contactId, ...said, source: 'api', ip: '192.0.2.1', userAgent: null, message: null },
  }),
)
const other = fc.constantFrom<ContactEvent[]>(
  { type: 'ContactSuppressed', data: { contactId, channel: 'email', reason: 'hard_bounce' } },
  { type: 'ContactDetailsChanged', data: { contactId, tags: [] } },
)
const details = { firstName: null, lastName: null, timezone: null, locale: null, notes: null, tags: [], customProperties: {} }
const created: ContactEvent = {
  type: 'ContactCreated',
  data: { contactId, ...details, email: 'ada@example.com', emailClaimId: null, phone: null, phoneClaimId: null, source: 'api' },
}

/** Few seconds, requests and actors, so that they meet; clocks that do not agree; a fence before the creation, or no creation at all. */
const histories: fc.Arbitrary<readonly Written[]> = fc
  .tuple(
    fc.constantFrom<(readonly ContactEvent[])[]>(
      [created],
      [{ type: 'ContactClaimAbandoned', data: { contactId, claimId: 'c' } }, created],
      [],
    ),
    fc.array(fc.oneof({ arbitrary: consent, weight: 4 }, other), { maxLength: 9 }),
  )
  .chain(([first, rest]) =>
    fc.tuple(
      ...[...first, ...(first.length === 0 ? [] : rest)].map((event) =>
        fc.record({
          event: fc.constant(event),
          second: fc.nat(6),
          request: fc.constantFrom('r-1', 'r-2'),
          actor: fc.constantFrom('key:7', 'recipient', 'operator'),
        }),
      ),
    ),
  )

const recorded = (written: readonly Written[], isErased: boolean): readonly Recorded<ContactEvent>[] =>
  written.map(({ event, second, request, actor }, n) => ({
    ...event,
    id: `event-${n}`,
    stream: 'contact-1',
    revision: n,
    position: { commit: BigInt(n * 3 + 1), prepare: 0n },
    created: time(n),
    meta: { workspaceId: asWorkspaceId('w'), actor, requestId: request, schemaVersion: 1, at: time(second) },
    erased: isErased && event.type === 'ContactCreated',
  }))

/** Said once more, and otherwise: event by event, with a variable for each channel. */
const naive = (events: readonly Recorded<ContactEvent>[], until: number) => {
  const actors: Record<string, string> = { 'key:7': 'api_key:7', recipient: 'contact', operator: 'operator' }
  const now: Record<string, string> = {}
  const lines: object[] = []
  let creation: Recorded | null = null
  for (const event of events) {
    if (event.erased) return null
    if (Date.parse(event.meta.at) > until) continue
    if (event.type === 'ContactCreated') creation = event
    if (event.type !== 'ContactConsentRecorded') continue
    const { channel, from, to, source, ip, userAgent } = event.data
    const born = now[channel] === undefined && creation?.meta.requestId === event.meta.requestId && creation.meta.at === event.meta.at
    now[channel] = to
    const { at, requestId, actor } = event.meta
    lines.push({
      channel,
      from: born ? null : from,
      to,
      source,
      at,
      actor: actors[actor],
      ip,
      userAgent,
      requestId,
      position: positionText(event.position),
    })
  }
  if (creation === null) return null
  return { channels: Object.fromEntries(CONSENT_CHANNELS.map((channel) => [channel, now[channel] ?? 'never_subscribed'])), history: lines }
}

test('the consent at any moment is what a naive fold of the history gives', () => {
  const seen = { none: 0, some: 0, born: 0 }
  fc.assert(
    fc.property(histories, fc.option(fc.nat(7)), fc.nat(19), (written, second, luck) => {
      const events = recorded(written, luck === 0)
      const until = second === null ? Number.POSITIVE_INFINITY : Date.parse(time(second))
      const found = consentAt(events, second === null ? null : time(second))
      expect(found).toEqual(naive(events, until))
      seen[found === null ? 'none' : 'some'] += 1
      if (found?.history.some(({ from }) => from === null)) seen.born += 1
    }),
    { numRuns: 10_000 },
  )
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(100)
})
