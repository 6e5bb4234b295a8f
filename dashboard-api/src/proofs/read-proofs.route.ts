import { WorkspaceProofs } from '@tidings/contracts'
import type { WorkspaceId } from '@tidings/domain'
import type { App } from '@tidings/http'
import { forWorkspace } from '@tidings/read-models'
import type { DashboardDependencies } from '../dependencies.ts'
import { onceBuilt } from '../not-built.ts'
import { isLogTooLong, MOST_EVENTS } from './bounds.ts'

const schema = {
  operationId: 'proofs.read',
  summary: 'The key that signs proofs, the newest heads of the log, and whether one proof has room for the workspace',
  tags: ['proofs'],
  response: { 200: WorkspaceProofs },
}

const config = { access: 'session', dashboard: { role: 'admin' } } as const

type HeadRow = Readonly<{ size: number; root: string; at: Date; anchored_at: Date | null }>

// A head is of the log of all workspaces: a size, a hash and times, as each proof shows them.
const HEADS = "select size::float8 as size, encode(root, 'hex') as root, at, anchored_at from proof.head h order by h.size desc limit 10"

export function readProofs(app: App, deps: Pick<DashboardDependencies, 'db' | 'pool' | 'openLogKey'>): void {
  app.get('/proofs', { schema, config }, async ({ tenant: { workspaceId } }) => {
    const { fingerprint } = await deps.openLogKey()
    const { rows } = await deps.pool.query<HeadRow>(HEADS)
    return {
      fingerprint,
      heads: rows.map(({ size, root, at, anchored_at }) => ({
        ...{ size, root, at: at.toISOString() },
        anchoredAt: anchored_at?.toISOString() ?? null,
      })),
      whole: await wholeProof(deps, workspaceId),
    }
  })
}

/** What the download says in the end may differ: events that are no consents count there too. */
async function wholeProof(
  { db, pool }: Pick<DashboardDependencies, 'db' | 'pool'>,
  workspaceId: WorkspaceId,
): Promise<WorkspaceProofs['whole']> {
  const said = forWorkspace(db, workspaceId)
    .consentHistory()
    .select('contact_id')
    .limit(MOST_EVENTS + 1)
  const { length } = await onceBuilt(said.execute())
  if (length === 0) return 'nothing'
  return length > MOST_EVENTS || (await isLogTooLong(pool)) ? 'too_large' : 'possible'
}
