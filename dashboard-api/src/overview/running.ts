import type { Overview } from '@tidings/contracts'
import { forWorkspace, type ReadModels, type WorkspaceId } from '@tidings/read-models'
import type { Kysely } from 'kysely'
import type { Pool } from 'pg'

/** More than these run at once in no workspace that somebody looks at. */
const SHOWN = 20

type RunRow = Readonly<{ campaign_id: string; recipients: number | null; begun: bigint }>

/** `begun`: by its run, which counts them; the read models say what became of them. */
export async function runningCampaigns(db: Kysely<ReadModels>, pool: Pool, workspaceId: WorkspaceId): Promise<Overview['campaigns']> {
  const campaigns = await forWorkspace(db, workspaceId)
    .campaigns()
    .select(['id', 'name', 'status'])
    .where('status', 'in', ['sending', 'paused'])
    .where('archived', '=', false)
    .orderBy('updated_at', 'desc')
    .orderBy('id')
    .limit(SHOWN)
    .execute()
  if (campaigns.length === 0) return []
  const { rows } = await pool.query<RunRow>(
    'select campaign_id, recipients, begun from ops.campaign_run where workspace_id = $1 and campaign_id = any($2::uuid[])',
    [workspaceId, campaigns.map(({ id }) => id)],
  )
  return campaigns.map(({ id, name, status }) => {
    const run = rows.find((one) => one.campaign_id === id)
    return { id, name, status, recipients: run?.recipients ?? 0, begun: Number(run?.begun ?? 0n) }
  })
}

export async function flowsWithContacts(db: Kysely<ReadModels>, workspaceId: WorkspaceId): Promise<Overview['flows']> {
  const rows = await forWorkspace(db, workspaceId)
    .flows()
    .select(['id', 'name', 'paused', 'inside'])
    .where('inside', '>', 0n)
    .orderBy('name')
    .orderBy('id')
    .limit(SHOWN)
    .execute()
  return rows.map((row) => ({ ...row, inside: Number(row.inside) }))
}
