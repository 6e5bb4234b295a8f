import type { Recorded } from '@tidings/codec'
import { type ContactId, type EnrolmentEvent, enrolmentStream, type FlowId, type WorkspaceId } from '@tidings/domain'
import { saysOfRun } from '@tidings/evidence'
import type { Operator } from '../operator/with-operator.ts'
import { type Answer, listAnswer } from '../terminal/answer.ts'

type FlowContact = Readonly<{ workspaceId: WorkspaceId; flowId: FlowId; contactId: ContactId }>

/** `causedBy`: the id of the event that the step follows from. */
type RunStep = Readonly<{ at: string; type: string; step: number | null; causedBy: string | null; says: string }>
type ContactRun = Readonly<{
  runId: string
  version: number
  enteredAt: string
  endedAt: string | null
  reason: string | null
  steps: readonly RunStep[]
}>

/** The runs of one contact, oldest first, as the log has them. */
export async function contactRuns({ stores }: Operator, { workspaceId, flowId, contactId }: FlowContact): Promise<Answer> {
  const events = await stores.log.readStream<EnrolmentEvent>(workspaceId, enrolmentStream(workspaceId, flowId, contactId))
  const runs = new Map<string, Recorded<EnrolmentEvent>[]>()
  for (const event of events) runs.set(event.data.runId, [...(runs.get(event.data.runId) ?? []), event])
  const items = [...runs].map(([runId, of]) => runOf(runId, of))
  return listAnswer(items, linesOf, `The contact ${contactId} never was inside.`)
}

const runOf = (runId: string, events: readonly Recorded<EnrolmentEvent>[]): ContactRun => {
  const entered = events.find((event) => event.type === 'ContactEnteredFlow')
  const left = events.find((event) => event.type === 'ContactLeftFlow')
  return {
    runId,
    version: entered?.type === 'ContactEnteredFlow' ? entered.data.version : 0,
    enteredAt: entered?.meta.at ?? '',
    endedAt: left?.meta.at ?? null,
    reason: left?.type === 'ContactLeftFlow' ? left.data.reason : null,
    steps: events.map(stepOf),
  }
}

const stepOf = (event: Recorded<EnrolmentEvent>): RunStep => ({
  at: event.meta.at,
  type: event.type,
  step: 'step' in event.data ? event.data.step : null,
  causedBy: event.meta.causationId ?? null,
  says: saysOfRun(event),
})

const linesOf = ({ runId, version, steps }: ContactRun): string =>
  [`run ${runId} of version ${version}`, ...steps.map(({ at, says, causedBy }) => `  ${at}  ${says}  (by ${causedBy ?? 'unknown'})`)].join(
    '\n',
  )
