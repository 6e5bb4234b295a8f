import type { Recorded, StreamReader } from '@tidings/codec'
import { type ContactId, type EnrolmentEvent, enrolmentStream, type FlowId, type WorkspaceId } from '@tidings/domain'
import { saysOfRun } from '@tidings/evidence'

type FlowContact = Readonly<{ workspaceId: WorkspaceId; flowId: FlowId; contactId: ContactId }>

/** `causedBy`: the id of the event that the step follows from. */
export type RunStep = Readonly<{ at: string; type: string; step: number | null; causedBy: string | null; says: string }>
export type ContactRun<Step = RunStep> = Readonly<{
  runId: string
  version: number
  enteredAt: string
  endedAt: string | null
  reason: string | null
  steps: readonly Step[]
}>

/** The events of the runs of one contact, oldest first. `most`: no more of the last events; a run that they do not have whole is left out. */
export async function runEvents(
  log: StreamReader,
  { workspaceId, flowId, contactId }: FlowContact,
  most?: number,
): Promise<Readonly<{ events: readonly Recorded<EnrolmentEvent>[]; hasEarlier: boolean }>> {
  const stream = enrolmentStream(workspaceId, flowId, contactId)
  if (most === undefined) return { events: await log.readStream<EnrolmentEvent>(workspaceId, stream), hasEarlier: false }
  const last = await log.readStream<EnrolmentEvent>(workspaceId, stream, { direction: 'backwards', limit: most })
  const events = last.toReversed()
  const first = events.findIndex(({ type }) => type === 'ContactEnteredFlow')
  return { events: first < 0 ? [] : events.slice(first), hasEarlier: (events[first]?.revision ?? 0) > 0 }
}

/** The runs that the events are of, in the order in which they began. */
export function runsIn<Step>(
  events: readonly Recorded<EnrolmentEvent>[],
  stepOf: (event: Recorded<EnrolmentEvent>) => Step,
): readonly ContactRun<Step>[] {
  const runs = Map.groupBy(events, ({ data }) => data.runId)
  return [...runs].map(([runId, of]) => {
    const entered = of.find((event) => event.type === 'ContactEnteredFlow')
    const left = of.find((event) => event.type === 'ContactLeftFlow')
    return {
      runId,
      version: entered?.type === 'ContactEnteredFlow' ? entered.data.version : 0,
      enteredAt: entered?.meta.at ?? '',
      endedAt: left?.meta.at ?? null,
      reason: left?.type === 'ContactLeftFlow' ? left.data.reason : null,
      steps: of.map(stepOf),
    }
  })
}

/** An event of a run, as the command line shows it. */
export function runStep(event: Recorded<EnrolmentEvent>): RunStep {
  return {
    at: event.meta.at,
    type: event.type,
    step: 'step' in event.data ? event.data.step : null,
    causedBy: event.meta.causationId ?? null,
    says: saysOfRun(event),
  }
}
