import type { FlowId, WorkspaceId } from '@tidings/domain'
import { kyselyOn } from '@tidings/postgres'
import { forWorkspace, type ReadModels } from '@tidings/read-models'
import type { Pool } from 'pg'

/** A flow as D15 shows it. */
export type FlowSummary = Readonly<{
  id: FlowId
  name: string
  status: FlowStatus
  version: number
  inside: number
  finished: number
}>
export type FlowStatus = 'active' | 'paused' | 'retired'

/** Retired is more than paused: a resume lets no contact in. */
export function flowStatus({ paused, retired }: Readonly<{ paused: boolean; retired: boolean }>): FlowStatus {
  return retired ? 'retired' : paused ? 'paused' : 'active'
}

/** The flows of a workspace, oldest first, with how many runs are inside and over. */
export async function flowSummaries(pool: Pool, workspaceId: WorkspaceId): Promise<readonly FlowSummary[]> {
  const rows = await forWorkspace(kyselyOn<ReadModels>(pool), workspaceId).flows().selectAll().orderBy('created_at').orderBy('id').execute()
  return rows.map(({ id, name, version, paused, retired, inside, finished }) => ({
    ...{ id, name, status: flowStatus({ paused, retired }), version },
    ...{ inside: Number(inside), finished: Number(finished) },
  }))
}
