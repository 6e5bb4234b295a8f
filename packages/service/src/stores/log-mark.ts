import { setTimeout as sleep } from 'node:timers/promises'
import { comparePositions, NOTHING_SEEN, type Position, type Seen } from '@tidings/event-store'
import type { Pool } from 'pg'

type Row = Readonly<{ commit: bigint; prepare: bigint; id: string | null }>

const SEEN = `
  select position_commit as commit, position_prepare as prepare, null::text as id from ops.projection_checkpoint
  union all select position_commit, position_prepare, null from ops.consumer_checkpoint
  union all select position_commit, position_prepare, null from ops.relay
  union all select position_commit, position_prepare, event_id::text from ops.log_mark
  order by 1 desc, 2 desc`

/** How far the tables of this database have seen the log, and the last event that they know by its id. */
export const readSeen = async (pool: Pool): Promise<Seen> => {
  const { rows } = await pool.query<Row>(SEEN)
  const [last] = rows
  if (last === undefined || last.commit < 0n) return NOTHING_SEEN
  const mark = rows.find(({ id }) => id !== null)
  const place = ({ commit, prepare }: Row): Position => ({ commit, prepare })
  return { position: place(last), event: mark?.id == null ? null : { position: place(mark), id: mark.id } }
}

const writeMark = async (pool: Pool, { position, id }: NonNullable<Seen['event']>): Promise<void> => {
  await pool.query(
    `insert into ops.log_mark as m (position_commit, position_prepare, event_id) values ($1, $2, $3)
     on conflict (single) do update set position_commit = excluded.position_commit, position_prepare = excluded.position_prepare,
       event_id = excluded.event_id, updated_at = now()
     where (m.position_commit, m.position_prepare) < (excluded.position_commit, excluded.position_prepare)`,
    [position.commit, position.prepare, id],
  )
}

const WRITE_MS = 1_000
const CONFIRM_MS = 1_000

type Keeping = Readonly<{
  pool: Pool
  lastSeen: () => Seen
  /** Rejects where the log is not the one that was seen, or cannot be asked. */
  confirm: () => Promise<void>
  /** Hears that the mark could not be written; it is tried again. */
  onFault: (error: unknown) => void
}>

const isConfirmed = async (confirm: Keeping['confirm']): Promise<boolean> => {
  const answered = confirm().then(
    () => true,
    () => false,
  )
  return await Promise.race([answered, sleep(CONFIRM_MS, false, { ref: false })])
}

/**
 * Writes down, once a second and at the stop, the last event that this process has seen. `stop` resolves when it is written. Nothing is
 * written of a log that went back, or that cannot be asked: a database that came back may have been restored together with its log, and with
 * a mark of before no start would take the two for a pair.
 */
export const keepLogMark = ({ pool, lastSeen, confirm, onFault }: Keeping): Readonly<{ stop: () => Promise<void> }> => {
  const stopping = new AbortController()
  const { signal } = stopping
  let written: Position | null = lastSeen().event?.position ?? null
  const write = async (): Promise<void> => {
    const { event } = lastSeen()
    if (event === null || (written !== null && comparePositions(event.position, written) <= 0)) return
    if (!(await isConfirmed(confirm))) return
    await writeMark(pool, event).then(() => {
      written = event.position
    }, onFault)
  }
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      await write()
      await sleep(WRITE_MS, undefined, { signal, ref: false }).catch(() => undefined)
    }
    await write()
  }
  const ended = run()
  return {
    stop: async () => {
      stopping.abort()
      await ended
    },
  }
}
