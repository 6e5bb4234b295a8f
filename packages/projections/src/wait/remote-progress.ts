import { comparePositions, type Position } from '@tidings/event-store'
import { listen } from '@tidings/postgres'
import type { Pool } from 'pg'
import { CHANNEL } from '../sql/commit-batch.ts'
import { type Owner, readNotice } from '../sql/notice.ts'

/** What other processes' projections have reached, as far as this one knows. `heardAt`: the owner's last beat or batch, in `performance.now()` ms. */
type RemoteProjection = Readonly<{ position: Position; live: boolean; heardAt: number; owner: Owner | null; parked: ReadonlySet<string> }>

export type RemoteProgress = Readonly<{
  of: (projection: string) => RemoteProjection | undefined
  /** Asks the database now; callers of the same moment share one query. */
  refresh: () => Promise<void>
  /** Polls while it is watched: call the returned function when the wait is over. */
  watch: () => () => void
  close: () => Promise<void>
}>

export type RemoteOptions = Readonly<{ pool: Pool; pollMs: number; onMove: (projection: string, position: Position) => void }>

type ProgressRow = {
  projection: string
  commit: bigint
  prepare: bigint
  state: string | null
  age: number | null
  owner: string | null
  epoch: bigint | null
  parked: string[]
}

const SQL = `select c.projection, c.position_commit as commit, c.position_prepare as prepare, s.state,
    extract(epoch from clock_timestamp() - s.heartbeat_at)::float8 * 1000 as age,
    l.owner, l.epoch, array(select p.stream from ops.parked_stream p where p.projection = c.projection limit 1000) as parked
  from ops.projection_checkpoint c left join ops.projection_status s using (projection)
  left join ops.projection_lease l using (projection)`

/**
 * Hears the NOTIFY of each batch, and polls the checkpoints while somebody waits, because a notification can be lost.
 * Connects only when it is first asked: a process that runs its own projections never does.
 */
export function remoteProgress({ pool, pollMs, onMove }: RemoteOptions): RemoteProgress {
  const known = new Map<string, RemoteProjection>()
  const learn = (projection: string, news: RemoteProjection): void => {
    known.set(projection, news)
    onMove(projection, news.position)
  }
  const ask = once(() => askDatabase(pool, learn))
  /** A look that began before this moment may have seen less: another one follows it. If both fail, the next wait asks again. */
  const look = (): void => {
    ask()
      .then(ask)
      .catch(() => undefined)
  }
  const heard = (payload: string): void => {
    // Any login may notify the channel, and repeat what it heard there: an unknown owner, or a way back, is only a reason to look.
    const notice = readNotice(payload, (projection) => known.get(projection)?.owner ?? null)
    const before = notice === null ? undefined : known.get(notice.projection)
    if (notice === null || before === undefined || comparePositions(notice.position, before.position) < 0) look()
    else learn(notice.projection, { ...before, position: notice.position, heardAt: performance.now() })
  }
  let listening: ReturnType<typeof listen> | undefined
  /** What is known is believed only where the channel says when it is taken back: while it was not heard, that may have happened. */
  const refresh = (): Promise<void> => {
    listening ??= listen({ pool, channel: CHANNEL, onMessage: heard, onConnected: look })
    return ask()
  }
  const polling = pollWhileWatched(refresh, pollMs)
  return {
    of: (projection) => known.get(projection),
    refresh,
    watch: () => polling.watch(),
    close: async () => {
      polling.stop()
      await listening?.stop()
    },
  }
}

const askDatabase = async (pool: Pool, learn: (projection: string, news: RemoteProjection) => void): Promise<void> => {
  const { rows } = await pool.query<ProgressRow>({ name: 'projection progress', text: SQL })
  for (const { projection, commit, prepare, state, age, owner, epoch, parked } of rows) {
    const heardAt = age === null ? Number.NEGATIVE_INFINITY : performance.now() - age
    const lease = owner === null || epoch === null ? null : { owner, epoch }
    learn(projection, { position: { commit, prepare }, live: state === 'live', heardAt, owner: lease, parked: new Set(parked) })
  }
}

/** Calls while it runs share the run. */
const once = (work: () => Promise<void>): (() => Promise<void>) => {
  let running: Promise<void> | undefined
  return () => {
    running ??= work().finally(() => {
      running = undefined
    })
    return running
  }
}

type Polling = Readonly<{ watch: () => () => void; stop: () => void }>

const pollWhileWatched = (refresh: () => Promise<void>, ms: number): Polling => {
  let watchers = 0
  let timer: NodeJS.Timeout | undefined
  const arm = (): void => {
    if (timer !== undefined || watchers === 0) return
    timer = setTimeout(async () => {
      await refresh().catch(() => undefined) // the database is away: the waiters' own time limit answers them
      timer = undefined
      arm()
    }, ms)
  }
  return {
    watch: () => {
      watchers++
      arm()
      return () => {
        watchers--
      }
    },
    stop: () => {
      clearTimeout(timer)
      watchers = 0
    },
  }
}
