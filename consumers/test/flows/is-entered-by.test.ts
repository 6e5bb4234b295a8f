import { asFlowId, type FlowTrigger } from '@tidings/domain'
import { expect, it } from 'vitest'
import { isEnteredBy } from '../../src/flows/flow-view.ts'

const flow = (trigger: FlowTrigger) =>
  ({
    flowId: asFlowId('f'),
    name: 'f',
    version: 1,
    steps: [],
    paused: false,
    retired: false,
    since: { commit: 1n, prepare: 0n },
    trigger,
  }) as const
const cause = (trigger: FlowTrigger) => ({ trigger, position: { commit: 2n, prepare: 0n } })

it.each([
  [{ type: 'custom_event', event: 'cafe\u0301' }, { type: 'custom_event', event: 'caf\u00e9' }, true],
  [{ type: 'custom_event', event: 'caf\u00e9' }, { type: 'custom_event', event: 'cafe\u0301' }, true],
  [{ type: 'custom_event', event: 'cafe' }, { type: 'custom_event', event: 'caf\u00e9' }, false],
  [{ type: 'contact_created' }, { type: 'custom_event', event: 'caf\u00e9' }, false],
] as const)('a flow of %j and an event of %j: %s', (trigger, event, entered) => {
  expect(isEnteredBy(flow(trigger), cause(event))).toBe(entered)
})
