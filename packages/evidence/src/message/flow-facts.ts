import type { Recorded } from '@tidings/codec'
import { asFlowId, type EnrolmentEvent, enrolmentStream, type FlowEvent, flowsStream } from '@tidings/domain'
import { type Fact, factOf } from '../fact.ts'
import { saysOfRun } from '../says-of-run.ts'
import { readAll, type Sources } from '../sources.ts'
import { eventsUntil } from './facts-at-moments.ts'
import { idOfActor, type KnownMessage } from './known-message.ts'

/** The flow that asked for the message, and the contact's run through it up to the step that did. */
export async function flowFacts(sources: Sources, known: KnownMessage): Promise<readonly Fact[]> {
  const { workspaceId, accepted } = known
  const { contactId } = accepted.data
  const named = idOfActor(accepted, 'flow')
  if (named === null || contactId === null) return []
  const flowId = asFlowId(named)
  const run = runOf(known, await readAll<EnrolmentEvent>(sources, workspaceId, enrolmentStream(workspaceId, flowId, contactId)))
  const entered = run.find((event) => event.type === 'ContactEnteredFlow')
  const defined = (await readAll<FlowEvent>(sources, workspaceId, flowsStream(workspaceId))).find(
    (event) => event.type === 'FlowDefined' && event.data.flowId === flowId && event.data.version === entered?.data.version,
  )
  const name = defined?.type === 'FlowDefined' ? `"${defined.data.name}" ` : ''
  return [
    ...(defined === undefined || entered === undefined ? [] : [factOf(defined, `flow ${name}${flowId}, version ${entered.data.version}`)]),
    ...run.map((event) => factOf(event, `flow ${name}${flowId}: ${saysOfRun(event)}`)),
  ]
}

/** The run that queued the message, and what became of its step; before that is recorded, the run that was open at the accept. */
const runOf = ({ messageId, accepted }: KnownMessage, events: readonly Recorded<EnrolmentEvent>[]): readonly Recorded<EnrolmentEvent>[] => {
  const isAboutMessage = (event: EnrolmentEvent): boolean => 'messageId' in event.data && event.data.messageId === messageId
  const before = eventsUntil(events, accepted.position)
  const runId = (events.find(isAboutMessage) ?? before.findLast(({ type }) => type === 'ContactEnteredFlow'))?.data.runId
  return events.filter((event) => event.data.runId === runId && (before.includes(event) || isAboutMessage(event)))
}
