import { databaseNow } from '@tidings/async/clock'
import type { EventLog } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import { enrolment, enrolmentStream, type FlowId } from '@tidings/domain'
import { FLOW_RUN, makeLanesDue } from '@tidings/jobs'
import type { Pool } from 'pg'
import { flowActor } from '../flows/flow-actor.ts'
import { laneOfRun } from '../flows/flow-kinds.ts'
import { readRun } from '../flows/read-run.ts'
import type { Went } from './erasing.ts'
import type { Person } from './person.ts'

/** The flows are few, and the primary key names the flow before the contact. */
const OPEN = `select flow_id as id from read.flow_runs
  where workspace_id = $1 and contact_id = $2 and state <> 'over' and flow_id = any (array(select id from read.flows where workspace_id = $1))`

/** Ends every run of the contact, as `contact_gone` (M38). `went`: of those that were under way. */
export async function endRuns(
  { log, pool, commands, now = databaseNow }: Readonly<{ log: EventLog; pool: Pool; commands: CommandRunner; now?: () => number }>,
  { workspaceId, contactId }: Person,
  went: Went,
): Promise<void> {
  const { rows } = await pool.query<{ id: FlowId }>(OPEN, [workspaceId, contactId])
  for (const { id: flowId } of rows) {
    const read = await readRun(log, { workspaceId, flowId, contactId })
    if (read === null) continue
    const at = new Date(now()).toISOString()
    const { events } = await commands.execute({
      decider: enrolment,
      stream: enrolmentStream(workspaceId, flowId, contactId),
      command: { type: 'EndRun', data: { runId: read.run.runId, reason: 'contact_gone', at } },
      context: {
        commandId: `${read.run.runId}:end`,
        workspaceId,
        actor: flowActor(flowId),
        requestId: read.requestId,
        causationId: read.lastEventId,
        at,
      },
    })
    await went(events.length)
    // A job that waits, for months perhaps, has nothing left to do: it is deleted.
    await makeLanesDue(pool, FLOW_RUN, [laneOfRun({ flowId, contactId })])
  }
}
