import { repeat } from '@tidings/async'
import { comparePositions, NOTHING_SEEN, type Position, type SeenPosition } from '@tidings/event-store'
import pTimeout from 'p-timeout'
import type { Pool } from 'pg'

type LogMarkRow = Readonly<{ commit: bigint; prepare: bigint; id: string | null }>

const SEEN = `
  select position_commit as commit, position_prepare as prepare, null::text as id from ops.projection_checkpoint
  union all select position_commit, position_prepare, null from ops.consumer_checkpoint
  union all select position_commit, position_prepare, null from ops.relay
  union all select position_commit, position_prepare, event_id::text from ops.log_mark
  order by 1 desc, 2 desc`

/** The highest position that the tables of this database have seen of the log, and the last event that they know by its id. */
export async function readLastSeen(pool: Pool): Promise<SeenPosition> {
  const { rows } = await pool.query<LogMarkRow>(SEEN)
  const [last] = rows
  if (last === undefined || last.commit < 0n) return NOTHING_SEEN
  const mark = rows.find(({ id }) => id !== null)
  const position = ({ commit, prepare }: LogMarkRow): Position => ({ commit, prepare })
  return { position: position(last), event: mark?.id == null ? null : { position: position(mark), id: mark.id } }
}

const writeMark = async (pool: Pool, { position, id }: NonNullable<SeenPosition['event']>): Promise<void> => {
  await pool.query(
    `insert into ops.log_mark as m (position_commit, position_prepare, event_id) values ($1, $2, $3)
     on conflict (single) do update set position_commit = excluded.position_commit, position_prepare = excluded.position_prepare,
       event_id = excluded.event_id, updated_at = now()
     where (m.position_commit, m.position_prepare) < (excluded.position_commit, excluded.position_prepare)`,
    [position.commit, position.prepare, id],
  )
}

const WRITE_INTERVAL_MS = 1_000
const CONFIRM_TIMEOUT_MS = 1_000

type LogMarkOptions = Readonly<{
  pool: Pool
  lastSeen: () => SeenPosition
  /** Rejects where the log is not the one that was seen, or does not answer. */
  confirm: () => Promise<void>
  /** Called when the mark could not be written; it is tried again. */
  onFault: (error: unknown) => void
}>

const isConfirmed = async (confirm: LogMarkOptions['confirm']): Promise<boolean> => {
  const answered = confirm().then(
    () => true,
    () => false,
  )
  return await pTimeout(answered, { milliseconds: CONFIRM_TIMEOUT_MS, fallback: () => false })
}

/**
 * Writes the last event that this process has seen to `ops.log_mark`, once a second and at the stop; `stop` resolves when it is written.
 * Nothing is written while the log does not answer or lacks events that were seen: database and log may have been restored together to an
 * earlier moment, and a mark from after that moment would make every start refuse the pair.
 */
export function startLogMark({ pool, lastSeen, confirm, onFault }: LogMarkOptions): Readonly<{ stop: () => Promise<void> }> {
  let written: Position | null = lastSeen().event?.position ?? null
  const write = async (): Promise<void> => {
    const { event } = lastSeen()
    if (event === null || (written !== null && comparePositions(event.position, written) <= 0)) return
    if (!(await isConfirmed(confirm))) return
    await writeMark(pool, event).then(() => {
      written = event.position
    }, onFault)
  }
  const repeating = repeat({
    ref: false,
    round: async () => {
      await write()
      return WRITE_INTERVAL_MS
    },
  })
  return {
    stop: async () => {
      await repeating.stop()
      await write()
    },
  }
}
