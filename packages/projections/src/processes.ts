import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { startTicker, weakMemo } from '@tidings/async'
import { comparePositions, type Position } from '@tidings/event-store'
import type { Pool } from 'pg'

/** A process that has not been heard of for this long is dead, and holds no cache that could answer anybody. */
const DEAD_AFTER_SECONDS = 5
const TICK_MS = 250
/** Less than nine ticks: a tick that comes a moment early would else be followed by one more in a quarter of a second. */
const QUIET_MS = 2_200
const POLL_MS = 20
const OWN_POLL_MS = 1

/** A heartbeat of this process that is written at once, so that a command that waits for all processes waits for no tick of its own. */
type OwnHeartbeat = Readonly<{ position: () => Position; tell: () => Promise<void> }>
const ownOf = weakMemo((_: Pool) => new Set<OwnHeartbeat>())

export type HeartbeatOptions = Readonly<{
  pool: Pool
  role: string
  /** How far this process's caches have seen the log. */
  position: () => Position
}>

/** `begun` resolves when the others know of this process: answer nothing from a cache before. */
export type Heartbeat = Readonly<{ id: string; begun: Promise<void>; stop: () => Promise<void> }>

/** Tells every other process that this one lives and what it has seen: every 250 ms while that moves, else every two seconds and a quarter. */
export function processHeartbeat({ pool, role, position }: HeartbeatOptions): Heartbeat {
  const id = randomUUID()
  const startedAt = new Date()
  let written = { position: position(), at: Number.NEGATIVE_INFINITY }
  let sending: Promise<void> = Promise.resolve()
  const begun = Promise.withResolvers<void>()
  const tell = async (): Promise<void> => {
    const seen = position()
    const now = performance.now()
    if (comparePositions(seen, written.position) === 0 && now - written.at < QUIET_MS) return
    await pool.query({ name: 'process heartbeat', text: HEARTBEAT, values: [id, role, startedAt, seen.commit, seen.prepare] })
    written = { position: seen, at: now }
    begun.resolve()
  }
  // A missed beat needs no care here: a caller that needs this process alive sees that it is missing.
  const ticker = startTicker(TICK_MS, () => {
    sending = tell().catch(() => undefined)
    return sending
  })
  ticker.tickNow()
  const own: OwnHeartbeat = { position, tell }
  ownOf(pool).add(own)
  return {
    id,
    begun: begun.promise,
    stop: async () => {
      ownOf(pool).delete(own)
      ticker.stop()
      await sending
      await pool.query('delete from ops.process where id = $1', [id]).catch(() => undefined) // counts as dead in 5 s
    },
  }
}

const HEARTBEAT = `insert into ops.process (id, role, started_at, heartbeat_at, position_commit, position_prepare)
  values ($1, $2, $3, clock_timestamp(), $4, $5)
  on conflict (id) do update set heartbeat_at = excluded.heartbeat_at,
    position_commit = excluded.position_commit, position_prepare = excluded.position_prepare`

/**
 * Resolves true when every live process has seen the log up to `position`, false when one has not within `timeoutMs` (10 s).
 * Rows of processes that died are swept on the way.
 */
export async function waitForProcesses(pool: Pool, position: Position, options: Readonly<{ timeoutMs?: number }> = {}): Promise<boolean> {
  await pool.query(`delete from ops.process where heartbeat_at < clock_timestamp() - interval '1 minute'`)
  const deadline = performance.now() + (options.timeoutMs ?? 10_000)
  for (const own of ownOf(pool)) await writtenPast(own, position, deadline)
  for (;;) {
    const { rows } = await pool.query<{ behind: boolean }>(
      `select exists (select 1 from ops.process where heartbeat_at > clock_timestamp() - make_interval(secs => $1)
         and (position_commit, position_prepare) < ($2::bigint, $3::bigint)) as behind`,
      [DEAD_AFTER_SECONDS, position.commit, position.prepare],
    )
    if (rows[0]?.behind !== true) return true
    if (performance.now() > deadline) return false
    await sleep(POLL_MS)
  }
}

/** The row is the truth: where it cannot be written, the wait below finds this process behind. */
const writtenPast = async ({ position: seen, tell }: OwnHeartbeat, position: Position, deadline: number): Promise<void> => {
  while (comparePositions(seen(), position) < 0 && performance.now() < deadline) await sleep(OWN_POLL_MS)
  await tell().catch(() => undefined)
}
