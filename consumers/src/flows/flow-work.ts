import type { ContentStore, EventLog } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import {
  type ContactId,
  type EmailContent,
  type EnrolmentCommand,
  type EventFacts,
  enrolment,
  enrolmentStream,
  type RunEnd,
  type WorkspaceId,
  type WorkspaceStatus,
} from '@tidings/domain'
import type { Deferral } from '@tidings/jobs'
import type { Links } from '@tidings/mail-content'
import type { Pool } from 'pg'
import { flowActor } from './flow-actor.ts'
import type { FlowView } from './flow-view.ts'
import type { ReadRun } from './read-run.ts'

/** Counts how often a contact had these events, as the read models show it. */
export type CountEvents = (
  of: Readonly<{ workspaceId: WorkspaceId; contactId: ContactId; names: readonly string[] }>,
) => Promise<ReadonlyMap<string, EventFacts>>

/** The dependencies of a worker that walks runs. `gate`: of what branches are decided on; `now`: ms since 1970. */
export type FlowWork = Readonly<{
  log: EventLog
  pool: Pool
  commands: CommandRunner
  content: ContentStore<EmailContent>
  links: Pick<Links, 'unsubscribeUrl'>
  flows: Pick<FlowView, 'find' | 'program'>
  workspaces: Readonly<{ status: (workspaceId: WorkspaceId) => WorkspaceStatus | Promise<WorkspaceStatus> }>
  suspended: Readonly<{ putOff: (workspaceId: WorkspaceId) => Promise<Deferral> }>
  countEvents: CountEvents
  gate: Readonly<{ requireAsOfNow: (decision: string, projections: readonly string[]) => Promise<void> }>
  now: () => number
}>

/** A time as the log writes it. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString()
}

/** `causationId`: the event that it follows from. */
export type Moved = Readonly<{ command: EnrolmentCommand; name: string; causationId: string }>

/** Records one move of a run. Its id comes from the run and `name`: a repetition is known again. */
export async function move(
  { commands, now }: FlowWork,
  { ref, run, requestId }: ReadRun,
  { command, name, causationId }: Moved,
): Promise<void> {
  const { workspaceId, flowId, contactId } = ref
  await commands.execute({
    decider: enrolment,
    stream: enrolmentStream(workspaceId, flowId, contactId),
    command,
    context: { commandId: `${run.runId}:${name}`, workspaceId, actor: flowActor(flowId), requestId, causationId, at: timestamp(now()) },
  })
}

/** Ends the run for a reason. */
export async function endRun(work: FlowWork, read: ReadRun, reason: RunEnd): Promise<void> {
  const command = { type: 'EndRun', data: { runId: read.run.runId, reason, at: timestamp(work.now()) } } as const
  await move(work, read, { command, name: 'end', causationId: read.lastEventId })
}
