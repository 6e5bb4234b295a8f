import { type Position, START } from '@tidings/event-store'
import { listen } from '@tidings/postgres'
import type { Pool } from 'pg'
import { CHANNEL } from '../sql/commit-batch.ts'

/** What other processes' projections have reached, as far as this one knows. `heardAt`: the owner's last beat, in `performance.now()` ms. */
export type RemoteProjection = Readonly<{ position: Position; live: boolean; heardAt: number; parked: ReadonlySet<string> }>

export type RemoteProgress = Readonly<{
  of: (projection: string) => RemoteProjection | undefined
  /** Asks the database now; callers of the same moment share one query. */
  refresh: () => Promise<void>
  /** Polls while it is held: call what it returns when nobody waits any more. */
  hold: () => () => void
  close: () => Promise<void>
}>

export type RemoteOptions = Readonly<{ pool: Pool; pollMs: number; onMove: (projection: string, position: Position) => void }>

type Row = { projection: string; commit: bigint; prepare: bigint; state: string | null; age: number | null; parked: string[] }

const SQL = `select c.projection, c.position_commit as commit, c.position_prepare as prepare, s.state,
    extract(epoch from clock_timestamp() - s.heartbeat_at)::float8 * 1000 as age,
    array(select p.stream from ops.parked_stream p where p.projection = c.projection limit 1000) as parked
  from ops.projection_checkpoint c left join ops.projection_status s using (projection)`

/**
 * Hears the NOTIFY of each batch, and polls the checkpoints while somebody waits, because a notification can be lost.
 * Connects only when it is first asked: a process that runs its own projections never does.
 */
export const remoteProgress = ({ pool, pollMs, onMove }: RemoteOptions): RemoteProgress => {
  const known = new Map<string, RemoteProjection>()
  let listening: ReturnType<typeof listen> | undefined
  let asking: Promise<void> | undefined
  let holders = 0
  let timer: NodeJS.Timeout | undefined

  const ask = async (): Promise<void> => {
    const { rows } = await pool.query<Row>({ name: 'projection progress', text: SQL })
    for (const row of rows) {
      const position = { commit: row.commit, prepare: row.prepare }
      const heardAt = row.age === null ? Number.NEGATIVE_INFINITY : performance.now() - row.age
      known.set(row.projection, { position, live: row.state === 'live', heardAt, parked: new Set(row.parked) })
      onMove(row.projection, position)
    }
  }
  const refresh = (): Promise<void> => {
    asking ??= ask().finally(() => {
      asking = undefined
    })
    return asking
  }
  const poll = (): void => {
    if (timer !== undefined || holders === 0) return
    timer = setTimeout(async () => {
      await refresh().catch(() => undefined) // the database is away: the waiters' own time limit answers them
      timer = undefined
      poll()
    }, pollMs)
  }
  const heard = (payload: string): void => {
    const [projection = '', commit, prepare] = payload.split(' ')
    const before = known.get(projection) ?? { live: false, heardAt: Number.NEGATIVE_INFINITY, parked: new Set<string>(), position: START }
    const position = { commit: BigInt(commit ?? -1), prepare: BigInt(prepare ?? -1) }
    known.set(projection, { ...before, position })
    onMove(projection, position)
  }
  return {
    of: (projection) => known.get(projection),
    refresh,
    hold: () => {
      listening ??= listen({ pool, channel: CHANNEL, onMessage: heard })
      holders++
      poll()
      return () => {
        holders--
      }
    },
    close: async () => {
      clearTimeout(timer)
      holders = 0
      await listening?.stop()
    },
  }
}
