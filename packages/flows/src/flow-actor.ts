/** The actor of what a flow does. */
export function flowActor(flowId: string): string {
  return `flow:${flowId}`
}

export function isOfFlow(actor: string): boolean {
  return actor.startsWith('flow:')
}
