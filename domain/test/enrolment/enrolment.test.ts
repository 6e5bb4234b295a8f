import { specFor } from '@tidings/testing/decider-spec'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type EnrolmentCommand, type EnrolmentEvent, type EntryCause, enrolment, REMEMBERED_CAUSES } from '../../src/enrolment/enrolment.ts'
import { asContactId } from '../../src/ids.ts'
import { asFlowId, asMessageId } from '../../src/index.ts'

const { given } = specFor(enrolment)

const minute = (m: number): string => new Date(Date.UTC(2026, 10, 22, 9, m)).toISOString()
const cause = (eventId: string, m = 0): EntryCause => ({ eventId, type: 'ContactCreated', stream: 's', at: minute(m) })
const of = { flowId: asFlowId('f'), contactId: asContactId('c') }
const ofRun = { ...of, runId: 'r1' }
const enter = (eventId: string, m = 0, runId = 'r1'): EnrolmentCommand => ({
  type: 'EnterFlow',
  data: { ...of, runId, version: 1, cause: cause(eventId, m) },
})
const entered = (eventId = 'e1', earlier: readonly string[] = []): EnrolmentEvent => ({
  type: 'ContactEnteredFlow',
  data: { ...ofRun, version: 1, cause: cause(eventId), earlier },
})
const leftAt = (m: number): EnrolmentEvent => ({ type: 'ContactLeftFlow', data: { ...ofRun, reason: 'finished', at: minute(m) } })
const waiting: EnrolmentEvent = { type: 'FlowWaitBegun', data: { ...ofRun, step: 0, next: 1, until: minute(10) } }
const queued = (next: number | null): EnrolmentEvent => ({
  type: 'FlowMessageQueued',
  data: { ...ofRun, step: 0, next, messageId: asMessageId('m'), channel: 'email' },
})
const resolve = (outcome: 'sent' | 'skipped' | 'failed' | 'suppressed', reason: string | null = null): EnrolmentCommand => ({
  type: 'ResolveMessage',
  data: { messageId: asMessageId('m'), outcome, reason, at: minute(5) },
})

describe('a contact', () => {
  it('enters a flow once for an event, however often that is delivered', () => {
    given().when(enter('e1')).thenEvents(entered())
    given(entered()).when(enter('e1')).thenNothing()
    given(entered(), leftAt(5)).when(enter('e1')).thenNothing()
  })

  it('is inside at most once at a time', () => {
    given(entered()).when(enter('e2', 1)).thenNothing()
  })

  it('does not enter later by an event that came while it was inside', () => {
    given(entered(), leftAt(5)).when(enter('e2', 3)).thenNothing()
    given(entered(), leftAt(5)).when(enter('e2', 5)).thenNothing()
  })

  it('enters again by an event that the log has behind the run, though the clock that ended it was ahead', () => {
    const behind = enter('e2', 3, 'r2')
    if (behind.type !== 'EnterFlow') throw new TypeError('no entry')
    const asOf = (isAfter: string | null): EnrolmentCommand => ({ ...behind, data: { ...behind.data, isAfter } })
    given(entered(), leftAt(5)).when(asOf(null)).thenNothing()
    given(entered(), leftAt(5))
      .when(asOf(minute(5)))
      .thenEvents({ type: 'ContactEnteredFlow', data: { ...of, runId: 'r2', version: 1, cause: cause('e2', 3), earlier: ['e1'] } })
    // The run that ended meanwhile is another one.
    given(entered(), leftAt(6))
      .when(asOf(minute(5)))
      .thenNothing()
  })

  it('enters again by an event that comes after the run', () => {
    given(entered(), leftAt(5))
      .when(enter('e2', 6, 'r2'))
      .thenEvents({ type: 'ContactEnteredFlow', data: { ...of, runId: 'r2', version: 1, cause: cause('e2', 6), earlier: ['e1'] } })
  })

  it('remembers a bounded number of causes', () => {
    const many = Array.from({ length: REMEMBERED_CAUSES - 1 }, (_, i) => `e${i}`)
    const [again] = enrolment.decide(enter('new', 6), [entered('last', many), leftAt(5)].reduce(enrolment.evolve, enrolment.initialState))
    expect(again).toMatchObject({ data: { earlier: ['last', ...many.slice(0, -1)] } })
  })
})

describe('a step', () => {
  const branch = (m: number): EnrolmentCommand => ({
    type: 'TakeBranch',
    data: { runId: 'r1', step: 1, next: 2, at: minute(m), branch: 'then' },
  })

  it('comes after its wait and not before', () => {
    given(entered(), waiting).when(branch(9)).thenNothing()
    given(entered(), waiting)
      .when(branch(10))
      .thenEvents({ type: 'FlowBranchTaken', data: { ...ofRun, step: 1, next: 2, branch: 'then' } })
  })

  it('waits for the message before it', () => {
    given(entered(), queued(1)).when(branch(9)).thenNothing()
  })

  it('of another run, or of a run that is over, changes nothing', () => {
    given(entered(), waiting, leftAt(3)).when(branch(11)).thenNothing()
    given(entered())
      .when({ type: 'BeginWait', data: { runId: 'other', step: 0, next: 1, at: minute(1), until: minute(2) } })
      .thenNothing()
  })

  it('that is the last one ends the run', () => {
    given(entered())
      .when({ type: 'SkipStep', data: { runId: 'r1', step: 0, next: null, at: minute(5), reason: 'no_address' } })
      .thenEvents({ type: 'FlowStepSkipped', data: { ...ofRun, step: 0, next: null, reason: 'no_address' } }, leftAt(5))
  })
})

describe('a message of a run', () => {
  const resolved = (outcome: 'sent' | 'skipped' | 'failed' | 'suppressed', reason: string | null, next: number | null): EnrolmentEvent => ({
    type: 'FlowMessageResolved',
    data: { ...ofRun, step: 0, next, messageId: asMessageId('m'), outcome, reason, at: minute(5) },
  })
  const ended = (reason: 'suppressed' | 'no_consent' | 'missed'): EnrolmentEvent => ({
    type: 'ContactLeftFlow',
    data: { ...ofRun, reason, at: minute(5) },
  })

  it.each([
    ['sent', null],
    ['failed', 'provider_rejected'],
    ['skipped', 'frequency_cap'],
  ] as const)('that was %s (%s) lets the run go on', (outcome, reason) => {
    given(entered(), queued(1))
      .when(resolve(outcome, reason))
      .thenEvents(resolved(outcome, reason, 1))
    given(entered(), queued(null))
      .when(resolve(outcome, reason))
      .thenEvents(resolved(outcome, reason, null), leftAt(5))
  })

  it('that is not sent because of the recipient ends the run, and so does one that came too late', () => {
    given(entered(), queued(1))
      .when(resolve('suppressed', 'hard_bounce'))
      .thenEvents(resolved('suppressed', 'hard_bounce', 1), ended('suppressed'))
    given(entered(), queued(1))
      .when(resolve('skipped', 'no_consent'))
      .thenEvents(resolved('skipped', 'no_consent', 1), ended('no_consent'))
    given(entered(), queued(1))
      .when(resolve('failed', 'expired'))
      .thenEvents(resolved('failed', 'expired', 1), ended('missed'))
  })

  it('that is not the one waited for changes nothing', () => {
    given(entered(), queued(1))
      .when({ type: 'ResolveMessage', data: { messageId: asMessageId('n'), outcome: 'sent', reason: null, at: minute(5) } })
      .thenNothing()
    given(entered()).when(resolve('sent')).thenNothing()
  })
})

it('takes each step once, in order, whatever is repeated, comes late or comes twice at once', () => {
  const run = fc.constantFrom('r1', 'r2')
  const m = fc.nat(20)
  const step = fc.record({ runId: run, step: fc.nat(3), at: m.map(minute) })
  // A worker does the same: it takes the step after the one it sees, or none after the last.
  const stepped = step.map((data) => ({ ...data, next: data.step < 3 ? data.step + 1 : null }))
  const command: fc.Arbitrary<EnrolmentCommand> = fc.oneof(
    fc.tuple(fc.constantFrom('e1', 'e2', 'e3'), m, run).map(([event, at, runId]) => enter(event, at, runId)),
    fc.tuple(stepped, m).map(([data, until]) => ({ type: 'BeginWait', data: { ...data, until: minute(until) } }) as const),
    stepped.map((data) => ({ type: 'TakeBranch', data: { ...data, branch: 'else' } }) as const),
    stepped.map(
      (data) =>
        ({ type: 'QueueMessage', data: { ...data, messageId: asMessageId(`${data.runId}:${data.step}`), channel: 'email' } }) as const,
    ),
    stepped.map((data) => ({ type: 'SkipStep', data: { ...data, reason: 'no_address' } }) as const),
    fc.tuple(run, fc.nat(3), m).map(
      ([runId, n, at]) =>
        ({
          type: 'ResolveMessage',
          data: { messageId: asMessageId(`${runId}:${n}`), outcome: 'sent', reason: null, at: minute(at) },
        }) as const,
    ),
  )
  fc.assert(
    fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
      const log: EnrolmentEvent[] = []
      const state = () => log.reduce(enrolment.evolve, enrolment.initialState)
      for (const one of commands) {
        log.push(...enrolment.decide(one, state()))
        expect(enrolment.decide(one, state())).toEqual([])
      }
      const entries = log.filter(({ type }) => type === 'ContactEnteredFlow')
      expect(new Set(entries.map((event) => event.type === 'ContactEnteredFlow' && event.data.cause.eventId)).size).toBe(entries.length)
      const begun = log.filter((event) => event.type !== 'FlowMessageResolved')
      for (const [i, event] of begun.entries()) {
        if (event.type === 'ContactEnteredFlow') expect(begun[i - 1]?.type ?? 'ContactLeftFlow').toBe('ContactLeftFlow')
        else if (event.type !== 'ContactLeftFlow') {
          const before = begun[i - 1]
          if (before?.type === 'ContactEnteredFlow') expect(event.data.step).toBe(0)
          else if (before !== undefined && 'step' in before.data) expect(event.data.step).toBe(before.data.step + 1)
        }
      }
    }),
    { numRuns: 500 },
  )
})
