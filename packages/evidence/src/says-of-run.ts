import type { EnrolmentEvent } from '@tidings/domain'

/** An event of a contact's run through a flow, in words. */
export function saysOfRun(event: EnrolmentEvent): string {
  switch (event.type) {
    case 'ContactEnteredFlow':
      return `entered by ${event.data.cause.type}`
    case 'FlowWaitBegun':
      return `waits until ${event.data.until}`
    case 'FlowBranchTaken':
      return `took ${event.data.branch}`
    case 'FlowMessageQueued':
      return `queued the message ${event.data.messageId}`
    case 'FlowMessageResolved':
      return `the message was ${event.data.outcome}${event.data.reason === null ? '' : ` (${event.data.reason})`}`
    case 'FlowStepSkipped':
      return `skipped: ${event.data.reason}`
    case 'ContactLeftFlow':
      return `over: ${event.data.reason}`
    default:
      return event satisfies never
  }
}
