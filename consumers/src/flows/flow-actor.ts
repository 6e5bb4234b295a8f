import { asFlowId, type FlowId } from '@tidings/domain'

/** The actor of what a flow does. */
export function flowActor(flowId: FlowId): string {
  return `flow:${flowId}`
}

/** The flow that is the actor; null where another is. */
export function flowOf(actor: string): FlowId | null {
  return actor.startsWith('flow:') ? asFlowId(actor.slice('flow:'.length)) : null
}
