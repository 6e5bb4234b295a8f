import { randomUUID } from 'node:crypto'
import { startTicker, weakMemo } from '@tidings/async'
import { comparePositions, type Position } from '@tidings/event-store'
import type { Pool } from 'pg'

const TICK_MS = 250
/** This is less than nine ticks: a tick that comes a moment early would otherwise be followed by one more in a quarter of a second. */
const QUIET_MS = 2_200

/** A heartbeat of this process that is written at once, so that a command that waits for all processes waits for no tick of its own. */
export type OwnHeartbeat = Readonly<{ position: () => Position | null; tell: () => Promise<void> }>
const ownOf = weakMemo((_: Pool) => new Set<OwnHeartbeat>())

/** Those that share the pool with a command that waits. */
export function ownHeartbeats(pool: Pool): ReadonlySet<OwnHeartbeat> {
  return ownOf(pool)
}

export type HeartbeatOptions = Readonly<{
  pool: Pool
  role: string
  /** How far this process's caches have seen the log; null while it uses none, because it cannot follow the log. */
  position: () => Position | null
  /** The end of the log. */
  head?: () => Promise<Position | null>
}>

/**
 * `begun` resolves when the others know of this process: answer nothing from a cache before. `isKnown` is true while the others wait for it and
 * it has seen everything they did not wait for. It is false while the process uses no cache, and until it may use one again.
 */
export type Heartbeat = Readonly<{ id: string; begun: Promise<void>; isKnown: () => boolean; stop: () => Promise<void> }>

/**
 * Tells every other process that this one lives and what it has seen: every 250 ms while that moves, else every two seconds and a quarter. One that cannot
 * follow the log, as at an event of a newer version, takes its heartbeat back: no command waits for it, as it answers from no cache.
 * Before it uses them again the others know of it, and it has seen what was appended before that.
 */
export function processHeartbeat({ pool, role, position, head = async () => null }: HeartbeatOptions): Heartbeat {
  const id = randomUUID()
  const startedAt = new Date()
  const state: { written: Position | null; at: number; isWritten: boolean; wasAway: boolean; reach: Position | null } = {
    written: null,
    at: Number.NEGATIVE_INFINITY,
    isWritten: false,
    wasAway: false,
    reach: null,
  }
  const begun = Promise.withResolvers<void>()
  const takeBack = async (): Promise<void> => {
    state.isWritten = false
    if (state.written === null) return
    await pool.query('delete from ops.process where id = $1', [id])
    Object.assign(state, { written: null, wasAway: true })
  }
  const tell = async (): Promise<void> => {
    const seen = position()
    if (seen === null) return await takeBack()
    const now = performance.now()
    if (state.isWritten && state.written !== null && comparePositions(seen, state.written) === 0 && now - state.at < QUIET_MS) return
    await pool.query({ name: 'process heartbeat', text: HEARTBEAT, values: [id, role, startedAt, seen.commit, seen.prepare] })
    Object.assign(state, { written: seen, at: now })
    if (!state.isWritten && state.wasAway) state.reach = await head()
    state.isWritten = true
    begun.resolve()
  }
  // A missed beat needs no care here: a caller that needs this process alive sees that it is missing.
  const ticker = startTicker(TICK_MS, () => tell().catch(() => undefined))
  ticker.tickNow()
  const own: OwnHeartbeat = { position, tell }
  ownOf(pool).add(own)
  const hasReached = (seen: Position | null): boolean => seen !== null && (state.reach === null || comparePositions(seen, state.reach) >= 0)
  return {
    id,
    begun: begun.promise,
    isKnown: () => state.isWritten && hasReached(position()),
    stop: async () => {
      ownOf(pool).delete(own)
      ticker.stop()
      await ticker.ended()
      await pool.query('delete from ops.process where id = $1', [id]).catch(() => undefined) // counts as dead in 5 s
    },
  }
}

const LIVING = `select count(*)::int as living from ops.process where heartbeat_at > clock_timestamp() - interval '5 seconds'`

/** How many processes of this installation live, this one not counted unless it has a heartbeat. */
export async function livingProcesses(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ living: number }>(LIVING)
  return rows[0]?.living ?? 0
}

const HEARTBEAT = `insert into ops.process (id, role, started_at, heartbeat_at, position_commit, position_prepare)
  values ($1, $2, $3, clock_timestamp(), $4, $5)
  on conflict (id) do update set heartbeat_at = excluded.heartbeat_at,
    position_commit = excluded.position_commit, position_prepare = excluded.position_prepare`
