import { isoNow } from '@tidings/clock'
import { uuidv5 } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import { enrolment, enrolmentStream } from '@tidings/domain'
import type { FlowCause } from './cause.ts'
import { flowActor } from './flow-actor.ts'
import { type Flow, type FlowView, isEnteredBy } from './flow-view.ts'

export type FlowEntry = Readonly<{
  /**
   * Enters every flow that the cause lets the contact into, and answers how many the contact entered by it, now or in an earlier call: not one
   * that it is inside already, nor one that is paused (D10).
   */
  enterFlows: (cause: FlowCause) => Promise<number>
}>

type Entering = Readonly<{ commands: Pick<CommandRunner, 'execute'>; flows: Pick<FlowView, 'at'> }>

/** For the route that records the cause and for the consumer that gets it: both enter, and each cause is one run. */
export function createFlowEntry({ commands, flows }: Entering): FlowEntry {
  const enter = async (cause: FlowCause, { flowId, version }: Flow): Promise<boolean> => {
    const { workspaceId, contactId, eventId, type, stream, at, requestId } = cause
    const runId = uuidv5(`run:${flowId}:${contactId}:${eventId}`, workspaceId)
    const { state } = await commands.execute({
      decider: enrolment,
      stream: enrolmentStream(workspaceId, flowId, contactId),
      command: { type: 'EnterFlow', data: { flowId, contactId, runId, version, cause: { eventId, type, stream, at } } },
      context: {
        commandId: `${runId}:enter`,
        workspaceId,
        actor: flowActor(flowId),
        requestId,
        causationId: eventId,
        at: isoNow(),
      },
    })
    return state.causes.includes(eventId)
  }
  return {
    enterFlows: async (cause) => {
      const known = await flows.at(cause.workspaceId, cause.position)
      const entered = [...known.values()].filter((flow) => isEnteredBy(flow, cause))
      const answers = await Promise.all(entered.map((flow) => enter(cause, flow)))
      return answers.filter(Boolean).length
    },
  }
}
