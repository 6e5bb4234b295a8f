import { randomUUID } from 'node:crypto'
import { startTicker } from '@tidings/async'
import type { Pool } from 'pg'
import type { MasterKeys } from './master-keys.ts'

/** How often a process reports which master key it has, and looks for a newer one. */
const HEARTBEAT_MS = 2_000
/** A rotation may continue without a process that was silent for longer than this: the process writes its row before it looks. */
const TRUSTED_MS = 5_000

const HEARTBEAT = `insert into keys.holder as h (process, master_key, heard_at) values ($1, $2, clock_timestamp())
  on conflict (process) do update set master_key = excluded.master_key, heard_at = excluded.heard_at`

/** The heartbeat, and what it would look for in one text: an idle process asks no more than this. */
const HEARTBEAT_AND_STATE = `with said as (${HEARTBEAT})
  select (select string_agg(concat_ws(' ', id, replaces, sealed is not null, retired_at is not null), ',' order by id) from keys.master_key)
    || '/' || (select count(*) from keys.purpose_key) as state`

const FORGET_AFTER_SECONDS = 600

/** Processes, and threads, that were killed leave their rows: they count as stopped after seconds. */
export async function forgetSilentHolders(pool: Pool, seconds: number): Promise<void> {
  await pool.query('delete from keys.holder where heard_at < clock_timestamp() - make_interval(secs => $1)', [seconds])
}

export type Holder = Readonly<{ stop: () => Promise<void> }>

/**
 * `onLost` is called once when the master key was replaced and this process did not learn the new one, `onLearnt` when it has: with the ids of
 * both.
 */
type AnnounceOptions = Readonly<{
  pool: Pool
  masters: MasterKeys
  onLost?: (error: unknown) => void
  onLearnt?: (learnt: Readonly<{ id: string; replaces: string }>) => void
}>

/**
 * Records in the database that this process has these keys, and learns the key that replaces its own within two seconds: a rotation waits for that.
 * The first heartbeat writes before it reads, so that one of the two always sees the other; a later one is one statement, because a rotation
 * sees the row of the one before it and waits for that to name the new key. The next heartbeat makes up for a failed one; a process
 * that misses so many that it counts as stopped cannot wrap under a retired key. Throws `WrongMasterKey` where the key was replaced
 * between being read and being announced.
 */
export async function announceMasterKeys({ pool, masters, onLost, onLearnt }: AnnounceOptions): Promise<Holder> {
  const process = randomUUID()
  let reported = ''
  let known = masters.current().id
  const report = async (): Promise<void> => {
    const { id } = masters.current()
    await pool.query({ name: 'keys_holder', text: HEARTBEAT, values: [process, id] })
    reported = id
  }
  let learnt = { state: '', at: Number.NEGATIVE_INFINITY }
  const learn = async (state: string): Promise<void> => {
    const at = performance.now()
    await masters.learn()
    const { id } = masters.current()
    if (id !== known) onLearnt?.({ id, replaces: known })
    known = id
    if (id !== reported) await report()
    learnt = { state, at }
  }
  const heartbeat = async (): Promise<void> => {
    if (performance.now() - learnt.at > TRUSTED_MS) {
      await report()
      return await learn('')
    }
    const at = performance.now()
    const { id } = masters.current()
    const asked = { name: 'keys_holder_state', text: HEARTBEAT_AND_STATE, values: [process, id] }
    const state = (await pool.query<{ state: string }>(asked)).rows[0]?.state ?? ''
    reported = id
    if (state === learnt.state) learnt = { state, at }
    else await learn(state)
  }
  const forget = () => pool.query('delete from keys.holder where process = $1', [process])
  await heartbeat()
  await forgetSilentHolders(pool, FORGET_AFTER_SECONDS).catch(() => undefined) // the next start does it
  try {
    masters.assertInForce()
  } catch (error) {
    await forget()
    throw error
  }
  let lost = false
  const notice = (): void => {
    try {
      masters.assertInForce()
      lost = false
    } catch (error) {
      if (!lost) onLost?.(error)
      lost = true
    }
  }
  const ticker = startTicker(HEARTBEAT_MS, () =>
    heartbeat()
      .then(notice)
      .catch(() => undefined),
  )
  return {
    stop: async () => {
      ticker.stop()
      await ticker.ended()
      await forget().catch(() => undefined) // counts as stopped after 10 s
    },
  }
}
