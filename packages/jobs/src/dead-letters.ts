import { INSTALLATION, type WorkspaceId } from '@tidings/domain'
import { storableText } from '@tidings/postgres'
import type { Pool } from 'pg'
import type { Claimed } from './settle-and-claim.ts'

/**
 * An event that a consumer could not handle, a job that kept failing, or records of a Kafka partition that are no events (they can only be
 * discarded; `attempts` counts them, `payload` has the first offsets). It keeps references, never content.
 */
export type DeadLetter = Readonly<{
  id: string
  source: 'event' | 'job' | 'record'
  consumer: string
  workspaceId: WorkspaceId | null
  reference: string
  payload: string | null
  errorClass: string
  error: string
  attempts: number
  state: 'open' | 'redriving' | 'redriven' | 'discarded'
  note: string | null
  firstSeenAt: Date
  lastSeenAt: Date
}>

const COLUMNS = `id, source, consumer, workspace_id as "workspaceId", reference, payload, error_class as "errorClass", error, attempts, state,
  note, first_seen_at as "firstSeenAt", last_seen_at as "lastSeenAt"`

/** Open and re-driving dead letters, newest first; of one workspace if given. */
export async function listDeadLetters(
  pool: Pool,
  filter: Readonly<{ workspaceId?: WorkspaceId; limit?: number }> = {},
): Promise<readonly DeadLetter[]> {
  const { rows } = await pool.query<DeadLetter>(
    `select ${COLUMNS} from ops.dead_letter
     where state in ('open', 'redriving') and ($1::uuid is null or workspace_id = $1) order by last_seen_at desc, id limit $2`,
    [filter.workspaceId ?? null, filter.limit ?? 200],
  )
  return rows
}

/** `workspaceId`: null for those of all workspaces; that of the installation for those of none. */
type WantedLetters = Readonly<{ workspaceId: WorkspaceId | null; consumer: string | null; after: string | null; limit: number }>

/** What `listDeadLetters` has, a page at a time, each with its place; `after`: the place of the last one before, where the index is entered. */
export async function pageOfDeadLetters(
  pool: Pool,
  { workspaceId, consumer, after, limit }: WantedLetters,
): Promise<readonly (DeadLetter & Readonly<{ place: string }>)[]> {
  const [micros = null, id = null] = after?.split(' ') ?? []
  const { rows } = await pool.query<DeadLetter & Readonly<{ place: string }>>(
    `select ${COLUMNS}, (extract(epoch from last_seen_at) * 1000000)::bigint || ' ' || id as place from ops.dead_letter
     where state in ('open', 'redriving') and ($1::uuid is null or workspace_id = $1 or ($1 = '${INSTALLATION}' and workspace_id is null))
       and ($2::text is null or consumer = $2)
       and last_seen_at <= coalesce(to_timestamp(0) + $3::bigint * interval '1 microsecond', 'infinity')
       and ($3 is null or last_seen_at < to_timestamp(0) + $3 * interval '1 microsecond' or id > $4::uuid)
     order by last_seen_at desc, id limit $5`,
    [workspaceId, consumer, micros, id, limit],
  )
  return rows
}

/** Beyond so many the number of dead letters says no more. */
const MOST_COUNTED = 10_000

/** How many dead letters of the workspace each consumer has, the most first; at most 10 000 are counted. */
export async function deadLettersByConsumer(
  pool: Pool,
  workspaceId: WorkspaceId,
): Promise<readonly Readonly<{ consumer: string; letters: number }>[]> {
  const { rows } = await pool.query<Readonly<{ consumer: string; letters: number }>>(
    `select consumer, count(*)::int as letters
     from (select consumer from ops.dead_letter where state in ('open', 'redriving') and workspace_id = $1 limit $2) d
     group by consumer order by letters desc, consumer`,
    [workspaceId, MOST_COUNTED],
  )
  return rows
}

/** Dead letters of one consumer and one workspace, or of none. `oldest`: when the oldest of them was set aside first. */
type LetterGroup = Readonly<{ consumer: string; workspaceId: WorkspaceId | null; letters: number; oldest: Date }>

/** The dead letters of the installation by what was to handle them and by workspace, the most first; the newest 10 000 are counted. */
export async function deadLetterGroups(pool: Pool, limit: number): Promise<readonly LetterGroup[]> {
  const { rows } = await pool.query<LetterGroup>(
    `select consumer, workspace_id as "workspaceId", count(*)::int as letters, min(first_seen_at) as oldest
     from (select consumer, workspace_id, first_seen_at from ops.dead_letter where state in ('open', 'redriving')
           order by last_seen_at desc, id limit $1) newest
     group by consumer, workspace_id order by letters desc, consumer, workspace_id limit $2`,
    [MOST_COUNTED, limit],
  )
  return rows
}

/** By consumer, the dead letters that were marked to be tried again a minute ago or longer, and that none has taken; at most 10 000 are counted. */
export async function retriesThatWait(pool: Pool): Promise<readonly Readonly<{ consumer: string; letters: number }>[]> {
  const { rows } = await pool.query<Readonly<{ consumer: string; letters: number }>>(
    `select consumer, count(*)::int as letters
     from (select consumer from ops.dead_letter where state = 'redriving' and last_seen_at < now() - interval '1 minute' limit $1) d
     group by consumer order by letters desc, consumer limit 20`,
    [MOST_COUNTED],
  )
  return rows
}

export async function showDeadLetter(pool: Pool, id: string): Promise<DeadLetter | null> {
  const { rows } = await pool.query<DeadLetter>(`select ${COLUMNS} from ops.dead_letter where id = $1`, [id])
  return rows[0] ?? null
}

/**
 * Tries again: a job is requeued in its lane at once, an event is handled by its running consumer within seconds (state `redriving`
 * until then). False when there is no open dead letter of that id.
 */
export async function redriveDeadLetter(pool: Pool, id: string): Promise<boolean> {
  const requeued = await pool.query<{ requeued: boolean }>('select inbox.requeue_dead_letter($1) as requeued', [id])
  if (requeued.rows[0]?.requeued === true) return true
  const marked = await pool.query(
    `update ops.dead_letter set state = 'redriving', last_seen_at = now() where id = $1 and source = 'event' and state = 'open'`,
    [id],
  )
  return marked.rowCount === 1
}

/** Gives up on it, with a reason for the record. False when there is no open dead letter of that id. */
export async function discardDeadLetter(db: Pick<Pool, 'query'>, id: string, note: string): Promise<boolean> {
  const discarded = await db.query(
    `update ops.dead_letter set state = 'discarded', note = $2, last_seen_at = now() where id = $1 and state in ('open', 'redriving')`,
    [id, note],
  )
  return discarded.rowCount === 1
}

/** Deletes settled dead letters older than `days`; at most `limit` a call, answers how many. */
export async function forgetDeadLetters(pool: Pool, days: number, limit = 1_000): Promise<number> {
  const deleted = await pool.query(
    `delete from ops.dead_letter where id in (select id from ops.dead_letter
     where state in ('redriven', 'discarded') and last_seen_at < now() - $1::int * interval '1 day' limit $2)`,
    [days, limit],
  )
  return deleted.rowCount ?? 0
}

/** Makes a claimed job a dead letter, and answers its id; null when the claim is no longer valid: then nothing has happened. */
export async function moveToDeadLetter(
  pool: Pool,
  kind: string,
  { job, error }: Readonly<{ job: Claimed; error: unknown }>,
): Promise<string | null> {
  const [name, message] = error instanceof Error ? [error.name, error.message] : ['Error', String(error)]
  const moved = await pool.query<{ id: string | null }>('select inbox.move_to_dead_letter($1, $2, $3, $4, $5, $6) as id', [
    kind,
    job.lane,
    job.seq,
    job.token,
    name,
    storableText(message, 2_000),
  ])
  return moved.rows[0]?.id ?? null
}
