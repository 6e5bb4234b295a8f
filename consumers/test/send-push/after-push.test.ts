import { asContactId, asMessageId, type MessageEvent, message } from '@tidings/domain'
import { describe, expect, it } from 'vitest'
import { afterPush, endPush } from '../../src/send-push/after-push.ts'
import type { BrowserAnswer, FailedCall } from '../../src/send-push/call-browsers.ts'

const of = { messageId: asMessageId('m'), contactId: asContactId('c'), channel: 'push' } as const
const accepted: MessageEvent = {
  type: 'PushAccepted',
  data: { ...of, title: 'Hi', body: 'Ada', url: null, icon: null, templateId: null, kind: 'marketing' },
}
const stateAfter = (...events: readonly MessageEvent[]) => [accepted, ...events].reduce(message.evolve, message.initialState)
const queued = stateAfter()
const partly = stateAfter(
  { type: 'PushAttempted', data: { ...of, accepted: ['a'], refused: [], waiting: ['b', 'c'] } },
  { type: 'MessageSent', data: { ...of, provider: 'web-push', providerMessageId: 'of a' } },
)

const browserOf = (endpointHash: string): BrowserAnswer['browser'] => ({
  subscriptionId: 's',
  contactId: asContactId('c'),
  endpointHash,
  registration: 1,
  endpoint: `https://push.example/${endpointHash}`,
  p256dh: 'key',
  auth: 'secret',
  userAgent: null,
  browser: null,
  platform: null,
  createdAt: '2026-11-21T10:00:00.000Z',
})
const took = (hash: string): BrowserAnswer => ({ browser: browserOf(hash), failure: null, providerMessageId: `of ${hash}` })
const failed = (hash: string, failure: 'recipient' | 'refused' | 'temporary' | 'unconfirmed' | 'outage'): FailedCall => ({
  browser: browserOf(hash),
  failure,
  detail: `${failure} of ${hash}`,
})
const after = (answers: readonly BrowserAnswer[], { state = queued, attempt = 0 } = {}) =>
  afterPush(answers, { state, provider: 'web-push', attempt, delays: [30_000] })
const sent = (hash: string) => ({ type: 'RecordSent', data: { provider: 'web-push', providerMessageId: `of ${hash}` } })
const recorded = (data: object) => ({
  type: 'RecordPushAttempt',
  data: { accepted: [], refused: [], waiting: [], providerMessageId: null, provider: 'web-push', ...data },
})
const again = expect.objectContaining({ counts: true })

describe('the answers of the browsers', () => {
  it('make the message sent when one has it, and the others are gone or refused it', () => {
    expect(after([took('a')])).toEqual({ outcome: sent('a'), again: null })
    expect(after([failed('x', 'recipient'), took('a'), failed('y', 'refused'), took('b')])).toEqual({ outcome: sent('a'), again: null })
  })

  it('let those be tried again that may answer later, and record who has it', () => {
    const outcome = recorded({ accepted: ['a'], refused: ['x'], waiting: ['b', 'c'], providerMessageId: 'of a' })
    const answers = [took('a'), failed('b', 'temporary'), failed('c', 'unconfirmed'), failed('x', 'recipient')]
    expect(after(answers)).toEqual({ outcome, again })
  })

  it('record nothing while all of them wait', () => {
    expect(after([failed('b', 'temporary'), failed('c', 'unconfirmed')])).toEqual({ outcome: null, again })
    expect(after([failed('b', 'temporary'), failed('c', 'temporary')], { state: partly })).toEqual({ outcome: null, again })
  })

  it('are over with the last try', () => {
    const answers = [failed('b', 'temporary'), failed('c', 'temporary')]
    const failure = { type: 'RecordFailed', data: { reason: 'provider_unavailable', detail: 'temporary of b' } }
    expect(after(answers, { attempt: 1 })).toEqual({ outcome: failure, again: null })
    expect(after(answers, { attempt: 1, state: partly })).toEqual({ outcome: recorded({ refused: ['b', 'c'] }), again: null })
    const some = recorded({ accepted: ['b'], refused: ['c'], providerMessageId: 'of b' })
    expect(after([took('b'), failed('c', 'temporary')], { attempt: 1, state: partly })).toEqual({ outcome: some, again: null })
  })

  it('make it failed when none has it: because all are gone, or for what the first that refused said', () => {
    const reasonOf = (...answers: readonly BrowserAnswer[]) => after(answers).outcome
    expect(reasonOf(failed('a', 'recipient'), failed('b', 'recipient'))).toMatchObject({ data: { reason: 'push_endpoint_gone' } })
    expect(reasonOf(failed('a', 'recipient'), failed('b', 'refused'))).toMatchObject({
      data: { reason: 'provider_rejected', detail: 'refused of b' },
    })
  })

  it('let those be tried again when their push service asks for it, and never sooner than by our own delays', () => {
    const waitOf = (...asked: readonly number[]) =>
      after(asked.map((retryAfterMs, n) => ({ ...failed(`${n}`, 'temporary'), retryAfterMs }))).again?.inMs
    expect(waitOf(90_000, 600_000)).toBe(600_000)
    expect(waitOf(1_000)).toBeGreaterThanOrEqual(30_000)
    expect(waitOf(1_000)).toBeLessThanOrEqual(33_000)
    expect(after([{ ...failed('a', 'temporary'), retryAfterMs: 90_000 }], { attempt: 1 }).again).toBeNull()
  })

  it('use up no try while none can be called', () => {
    expect(after([failed('a', 'outage')])).toEqual({ outcome: null, again: expect.objectContaining({ counts: false }) })
  })
})

describe('a push that is not to go on', () => {
  it('ends as decided while it is queued, and stays sent once a browser has it', () => {
    const skipped = { type: 'RecordSkipped', data: { reason: 'no_consent' } } as const
    expect(endPush(queued, skipped)).toBe(skipped)
    expect(message.decide(endPush(partly, skipped), partly)).toEqual([
      { type: 'PushAttempted', data: { ...of, accepted: [], refused: ['b', 'c'], waiting: [] } },
    ])
  })
})
