import { asContactId, asMessageId, type DomainEvent, type EnrolmentEvent, type FlowEvent, type RunEnd } from '@tidings/domain'
import { foldAll } from '@tidings/projections/testing'
import type { FlowStepsRow } from '@tidings/read-models'
import { expect, it } from 'vitest'
import { flowStepsProjection } from '../src/flow-steps.projection.ts'
import { FLOW_ID } from './flow-events.ts'
import { recorded } from './recorded.ts'

const at = '2026-01-01T00:00:00.000Z'

/** What happens to one contact: a wait, a branch whose arm `then` has a message, and a wait behind both. */
const runOf = (n: number, version = 1) => {
  const runId = `0192f0c1-0000-7000-8000-${String(n).padStart(12, '0')}`
  const of = { flowId: FLOW_ID, contactId: asContactId(runId), runId }
  const message = { ...of, step: 2, next: 3, messageId: asMessageId(runId) }
  const event = {
    enters: { type: 'ContactEnteredFlow', data: { ...of, version, cause: { eventId: runId, type: 'x', stream: 's', at }, earlier: [] } },
    waits: { type: 'FlowWaitBegun', data: { ...of, step: 0, next: 1, until: at } },
    matches: { type: 'FlowBranchTaken', data: { ...of, step: 1, next: 2, branch: 'then' } },
    differs: { type: 'FlowBranchTaken', data: { ...of, step: 1, next: 3, branch: 'else' } },
    queues: { type: 'FlowMessageQueued', data: { ...message, channel: 'email' } },
    skips: { type: 'FlowStepSkipped', data: { ...of, step: 2, next: 3, reason: 'no_address' } },
    sent: { type: 'FlowMessageResolved', data: { ...message, outcome: 'sent', reason: null, at } },
    refused: { type: 'FlowMessageResolved', data: { ...message, outcome: 'skipped', reason: 'no_consent', at } },
    waitsAgain: { type: 'FlowWaitBegun', data: { ...of, step: 3, next: null, until: at } },
  } as const satisfies Record<string, EnrolmentEvent>
  const leaves = (reason: RunEnd): EnrolmentEvent => ({ type: 'ContactLeftFlow', data: { ...of, reason, at } })
  return { ...event, leaves }
}

const defined = (version: number): FlowEvent => ({
  type: 'FlowDefined',
  data: { flowId: FLOW_ID, name: 'Welcome', version, trigger: { type: 'contact_created' }, steps: [{ type: 'wait', minutes: 1 }] },
})

const counted = (events: readonly DomainEvent[]) => {
  const folded = foldAll(flowStepsProjection, recorded(events))
  const [row] = (folded.flow_steps ?? []) as FlowStepsRow[]
  const texts = Object.entries(row?.versions ?? {}).map(([version, steps]) => [
    version,
    steps.map(({ inside, passed, left }) => `${inside} ${passed} ${left}`),
  ])
  return { versions: Object.fromEntries(texts), ends: row?.ends ?? {}, open: (folded.open_flow_runs ?? []).length }
}

it('counts a run where it is: while a step waits, and while its message is under way', () => {
  const { enters, waits, matches, queues, sent, waitsAgain, leaves } = runOf(1)
  const steps = [enters, waits, matches, queues, sent, waitsAgain, leaves('finished')]
  const seen = steps.map((_, n) => counted([defined(1), ...steps.slice(0, n + 1)]).versions['1']?.join(', '))
  expect(seen).toEqual([
    '1 0 0',
    '1 0 0',
    '0 1 0, 0 1 0, 1 0 0',
    '0 1 0, 0 1 0, 1 0 0',
    '0 1 0, 0 1 0, 1 0 0',
    '0 1 0, 0 1 0, 0 1 0, 1 0 0',
    '0 1 0, 0 1 0, 0 1 0, 0 1 0',
  ])
})

it('counts each arm of a branch by those who took it, and where a run ended before the end of the flow', () => {
  const [one, two, three, four] = [runOf(1), runOf(2), runOf(3), runOf(4)]
  const { versions, ends, open } = counted([
    ...[one.enters, one.waits, one.matches, one.queues, one.refused, one.leaves('no_consent')],
    ...[two.enters, two.waits, two.differs, two.waitsAgain],
    ...[three.enters, three.waits, three.leaves('missed')],
    ...[four.enters, four.waits, four.matches, four.skips, four.leaves('contact_gone')],
  ])
  expect(versions).toEqual({ 1: ['0 3 1', '0 3 0', '0 1 1', '1 0 1'] })
  expect(ends).toEqual({ no_consent: 1, missed: 1, contact_gone: 1 })
  expect(open).toBe(1)
})

it('forgets an older version once no run is inside of it, and no sooner', () => {
  const [one, two] = [runOf(1, 1), runOf(2, 2)]
  const events = [defined(1), one.enters, one.waits, defined(2), two.enters, two.waits, two.leaves('missed'), defined(3)]
  expect(counted(events).versions).toEqual({ 1: ['1 0 0'] })
  expect(counted([...events, one.leaves('missed'), defined(4)]).versions).toEqual({})
  expect(counted([...events, one.leaves('missed'), defined(4)]).ends).toEqual({ missed: 2 })
})

it('ignores what comes again of a run that is over', () => {
  const { enters, waits, leaves } = runOf(1)
  expect(counted([enters, leaves('missed'), waits, leaves('missed')])).toEqual({ versions: { 1: ['0 0 1'] }, ends: { missed: 1 }, open: 0 })
})
