import { asFlowId, asMessageId, type ContactId, type EnrolmentEvent, type FlowEvent, type FlowId } from '@tidings/domain'
import fc from 'fast-check'
import { words } from './arbitraries.ts'

export const FLOW_ID = asFlowId('5f0e7e3a-7b52-4a3c-9d5e-0d3a6a6f0c11')

/** The flows of one workspace. */
export const flowsLife: fc.Arbitrary<readonly FlowEvent[]> = fc
  .tuple(
    words,
    fc.array(fc.constantFrom<FlowEvent['type']>('FlowDefined', 'FlowPaused', 'FlowResumed', 'FlowRetired', 'FlowRestored'), {
      maxLength: 6,
    }),
  )
  .map(([name, later]) => {
    let version = 0
    return (['FlowDefined', ...later] as const).map((type): FlowEvent => {
      if (type !== 'FlowDefined') return { type, data: { flowId: FLOW_ID } }
      version++
      return {
        type,
        data: { flowId: FLOW_ID, name, version, trigger: { type: 'contact_created' }, steps: [{ type: 'wait', minutes: version }] },
      }
    })
  })

const MOMENT = '2026-11-22T09:00:00.000Z'

/** The runs of a contact through the flow. */
export function enrolmentLife(contactId: ContactId): fc.Arbitrary<readonly EnrolmentEvent[]> {
  return fc.array(runLife(contactId), { minLength: 1, maxLength: 3 }).map((runs) => runs.flat())
}

const runLife = (contactId: ContactId): fc.Arbitrary<readonly EnrolmentEvent[]> =>
  fc.tuple(fc.uuid(), fc.array(fc.nat(3), { maxLength: 4 }), fc.boolean()).map(([runId, steps, isOver]) => {
    const of = { flowId: FLOW_ID, contactId, runId }
    const cause = { eventId: runId, type: 'ContactCreated', stream: 's', at: MOMENT }
    return [
      { type: 'ContactEnteredFlow', data: { ...of, version: 1, cause, earlier: [] } },
      ...steps.flatMap((kind, step): readonly EnrolmentEvent[] =>
        stepOf(kind, { ...of, step, next: step + 1 < steps.length ? step + 1 : null }),
      ),
      ...(isOver ? ([{ type: 'ContactLeftFlow', data: { ...of, reason: 'finished', at: MOMENT } }] as const) : []),
    ]
  })

const stepOf = (
  kind: number,
  of: Readonly<{ flowId: FlowId; contactId: ContactId; runId: string; step: number; next: number | null }>,
): readonly EnrolmentEvent[] => {
  const messageId = asMessageId(of.runId)
  if (kind === 0) return [{ type: 'FlowWaitBegun', data: { ...of, until: MOMENT } }]
  if (kind === 1) return [{ type: 'FlowBranchTaken', data: { ...of, branch: 'else' } }]
  if (kind === 2) return [{ type: 'FlowStepSkipped', data: { ...of, reason: 'no_address' } }]
  return [
    { type: 'FlowMessageQueued', data: { ...of, messageId, channel: 'email' } },
    { type: 'FlowMessageResolved', data: { ...of, messageId, outcome: 'sent', reason: null, at: MOMENT } },
  ]
}
