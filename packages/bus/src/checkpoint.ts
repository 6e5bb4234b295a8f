import { type Position, START } from '@tidings/event-store'
import { transaction } from '@tidings/postgres'
import type { ClientBase, Pool } from 'pg'
import type { Cursor } from './cursor.ts'
import { comeBack, type Handled } from './handled.ts'

/**
 * The right to run a group: `epoch` is the fence, `at` where the group stands. `handled` is there while the group comes back from
 * Kafka: how far it was in each partition.
 */
export type Session = { readonly group: string; readonly epoch: bigint; at: Position; handled: Handled | null }

/** Another process runs the group now, or Postgres fell back: the batch in hand was not written. */
export class Fenced extends Error {
  override readonly name = 'Fenced'
}

export const LEASE_MS = 6_000

/** Takes the group if nobody holds it, making it at `first` when it is new. Null while another process has it. */
export async function openSession(
  pool: Pool,
  { group, owner, first }: Readonly<{ group: string; owner: string; first: Position }>,
): Promise<Session | null> {
  await createGroup(pool, group, first)
  return await transaction(pool, async (tx) => {
    const taken = await tx.query<{ epoch: bigint; commit: bigint; prepare: bigint; relay: string | null }>(
      `update ops.consumer_checkpoint set owner = $2, epoch = epoch + 1, lease_until = clock_timestamp() + $3::bigint * interval '1 millisecond'
       where consumer_group = $1 and (owner is null or owner = $2 or lease_until < clock_timestamp())
       returning epoch, position_commit as commit, position_prepare as prepare, relay`,
      [group, owner, LEASE_MS],
    )
    const row = taken.rows[0]
    if (row === undefined) return null
    const at = { commit: row.commit, prepare: row.prepare }
    if (row.relay === null) return { group, epoch: row.epoch, at, handled: null }
    return await comeBack(tx, { group, epoch: row.epoch, at })
  })
}

/** Makes a group that does not exist yet. */
export async function createGroup(pool: Pool, group: string, first: Position): Promise<void> {
  await pool.query(
    `insert into ops.consumer_checkpoint (consumer_group, position_commit, position_prepare) values ($1, $2, $3) on conflict do nothing`,
    [group, first.commit, first.prepare],
  )
}

/** Moves the checkpoint inside the effect's transaction; throws `Fenced` when that would not be exactly once. */
export async function advance(tx: ClientBase, session: Session, to: Position): Promise<void> {
  const moved = await tx.query<{ moved: boolean }>({
    name: 'consumer-advance',
    text: 'select ops.advance_consumer($1, $2, $3::bigint[], $4::bigint[], $5) as moved',
    values: [session.group, session.epoch, literal(session.at), literal(to), LEASE_MS],
  })
  if (moved.rows[0]?.moved !== true) throw new Fenced(`the consumer group ${session.group} is run by another process`)
}

/** The session's place, for whoever handles its batches. */
export const cursorOf = (session: Session): Cursor => ({
  at: () => session.at,
  move: (tx, to) => advance(tx, session, to),
  moved: (to) => {
    session.at = to
  },
})

/** Keeps the group for another lease; throws `Fenced` when it is no longer ours. */
export async function renew(pool: Pool, { group, epoch }: Session): Promise<void> {
  const renewed = await pool.query(
    `update ops.consumer_checkpoint set lease_until = clock_timestamp() + $3::bigint * interval '1 millisecond'
     where consumer_group = $1 and epoch = $2`,
    [group, epoch, LEASE_MS],
  )
  if (renewed.rowCount === 0) throw new Fenced(`the consumer group ${group} is run by another process`)
}

/** Lets the next process have the group at once. */
export async function release(pool: Pool, { group, epoch }: Session): Promise<void> {
  await pool.query('update ops.consumer_checkpoint set owner = null, lease_until = null where consumer_group = $1 and epoch = $2', [
    group,
    epoch,
  ])
}

/** Ends every lease of a group and of a relay. Only for a process that knows that their owners are dead; answers how many. */
export async function releaseGroups(pool: Pool): Promise<number> {
  const groups = await pool.query(
    'update ops.consumer_checkpoint set owner = null, lease_until = null where lease_until > clock_timestamp()',
  )
  const relays = await pool.query('update ops.relay set owner = null, lease_until = null where lease_until > clock_timestamp()')
  return (groups.rowCount ?? 0) + (relays.rowCount ?? 0)
}

export const isStart = (position: Position): boolean => position.commit === START.commit && position.prepare === START.prepare

const literal = ({ commit, prepare }: Position): string => `{${commit},${prepare}}`
