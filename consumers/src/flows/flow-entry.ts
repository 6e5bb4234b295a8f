import { isoNow } from '@tidings/async/clock'
import { type StreamReader, uuidv5 } from '@tidings/codec'
import type { CommandExecutor, StateLoader } from '@tidings/commands'
import { type EnrolmentEvent, enrolment, enrolmentStream, type FlowId } from '@tidings/domain'
import { comparePositions } from '@tidings/event-store'
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

type Entering = Readonly<{
  log: StreamReader
  commands: CommandExecutor & StateLoader
  flows: Pick<FlowView, 'at'>
}>

/** Enters flows for the route that records the cause and for the consumer that gets it: each cause is one run. */
export function createFlowEntry({ log, commands, flows }: Entering): FlowEntry {
  /** The end of the last run, where the cause is behind it in the log and the clocks say that it is not. */
  const endBefore = async ({ workspaceId, contactId, at, position }: FlowCause, flowId: FlowId): Promise<string | null> => {
    const stream = enrolmentStream(workspaceId, flowId, contactId)
    const { state } = await commands.load({ decider: enrolment, stream, workspaceId })
    if (state.endedAt === null || at > state.endedAt) return null
    const [last] = await log.readStream<EnrolmentEvent>(workspaceId, stream, { direction: 'backwards', limit: 1 })
    return last?.type === 'ContactLeftFlow' && comparePositions(position, last.position) > 0 ? last.data.at : null
  }
  const enter = async (cause: FlowCause, { flowId, version }: Flow): Promise<boolean> => {
    const { workspaceId, contactId, eventId, type, stream, at, requestId } = cause
    const isAfter = await endBefore(cause, flowId)
    const runId = uuidv5(`run:${flowId}:${contactId}:${eventId}`, workspaceId)
    const { state } = await commands.execute({
      decider: enrolment,
      stream: enrolmentStream(workspaceId, flowId, contactId),
      command: { type: 'EnterFlow', data: { flowId, contactId, runId, version, cause: { eventId, type, stream, at }, isAfter } },
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
