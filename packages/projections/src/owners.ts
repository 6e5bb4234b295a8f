import type { Pool } from 'pg'

/** How a projection is followed, as its owner tells everybody. `alive`: the owner holds the lease and was heard of since we began to listen. */
export type OwnerReport = Readonly<{ projection: string; version: number; owner: string | null; state: string | null; alive: boolean }>

type OwnerRow = Omit<OwnerReport, 'alive'> & Readonly<{ heartbeat: string | null; recent: boolean }>

/** The time that the read side waits for an owner: a beat a second, which a slow log delays by one. */
const SILENT_SECONDS = 3

const SQL = `select c.projection, c.version, s.owner, s.state, s.heartbeat_at::text as heartbeat,
    coalesce(l.owner = s.owner and l.expires_at > clock_timestamp()
      and s.heartbeat_at > clock_timestamp() - interval '${SILENT_SECONDS} seconds', false) as recent
  from ops.projection_checkpoint c left join ops.projection_status s using (projection) left join ops.projection_lease l using (projection)`

/**
 * The owner of each projection, in any process. An owner that died a moment ago looks alive until its lease ends, so an owner counts as alive
 * only after a heartbeat that is newer than this reader.
 */
export function projectionOwners(pool: Pool): () => Promise<readonly OwnerReport[]> {
  const ask = async (): Promise<readonly OwnerRow[]> => (await pool.query<OwnerRow>({ name: 'projection owners', text: SQL })).rows
  const learn = async () => new Map((await ask()).map(({ projection, heartbeat }) => [projection, heartbeat]))
  let first: ReturnType<typeof learn> | null = null
  const before = async () => {
    first ??= learn()
    try {
      return await first
    } catch (error) {
      first = null
      throw error
    }
  }
  before().catch(() => undefined) // asked again by the first who wants to know
  return async () => {
    const known = await before()
    return (await ask()).map(({ heartbeat, recent, ...row }) => ({ ...row, alive: recent && heartbeat !== known.get(row.projection) }))
  }
}
