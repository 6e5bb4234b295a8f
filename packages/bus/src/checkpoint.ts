import { type Position, START } from '@tidings/event-store'
import { Fenced, leaseTable } from '@tidings/jobs'
import { transaction } from '@tidings/postgres'
import type { ClientBase, Pool } from 'pg'
import { returnFromKafka } from './handled.ts'
import type { Cursor, Effect } from './port.ts'
import type { Session } from './session.ts'

/** The lease of a consumer group that reads the log directly. */
export const groupLeases = leaseTable({
  table: 'ops.consumer_checkpoint',
  name: 'consumer_group',
  expiresAt: 'lease_until',
  leaseMs: 6_000,
})

/** Takes the group's lease, creating a new group at `first`. Null while another process has the lease. */
export async function openSession(
  pool: Pool,
  { group, owner, first }: Readonly<{ group: string; owner: string; first: Position }>,
): Promise<Session | null> {
  await createGroup(pool, group, first)
  return await transaction(pool, async (tx) => {
    const lease = await groupLeases.acquire(tx, group, owner)
    if (lease === null) return null
    const { rows } = await tx.query<{ commit: bigint; prepare: bigint; relay: string | null }>(
      'select position_commit as commit, position_prepare as prepare, relay from ops.consumer_checkpoint where consumer_group = $1',
      [group],
    )
    const { commit, prepare, relay } = rows[0] ?? { ...first, relay: null }
    const session = { lease, at: { commit, prepare }, handled: null }
    return relay === null ? session : await returnFromKafka(tx, session)
  })
}

/** Creates the group unless it exists. */
export async function createGroup(pool: Pool, group: string, first: Position): Promise<void> {
  await pool.query(
    `insert into ops.consumer_checkpoint (consumer_group, position_commit, position_prepare) values ($1, $2, $3) on conflict do nothing`,
    [group, first.commit, first.prepare],
  )
}

/** Moves the checkpoint, inside the effect's transaction where it has one; throws `Fenced` when that would not be exactly once. */
export async function advance(db: Pick<Pool | ClientBase, 'query'>, session: Session, to: Position): Promise<void> {
  const moved = await db.query<{ moved: boolean }>({
    name: 'consumer-advance',
    text: `select ${advanceCall(0)} as moved`,
    values: advanceValues(session, to),
  })
  if (moved.rows[0]?.moved !== true) throw fenced(session)
}

/** Moves the checkpoint and has the effect, in one statement, the effect only where the checkpoint moved; throws `Fenced` like `advance`. */
async function advanceWith(pool: Pool, session: Session, to: Position, { name, call, values }: Effect): Promise<unknown> {
  const { rows } = await pool.query<{ done: unknown }>({
    name: `${name} and advance`,
    text: `select case when ${advanceCall(values.length)} then ${call} end as done`,
    values: [...values, ...advanceValues(session, to)],
  })
  const done = rows[0]?.done ?? null
  if (done === null) throw fenced(session)
  return done
}

/** `used`: parameters before its own. */
const advanceCall = (used: number): string => {
  const [group, epoch, from, to, leaseMs] = Array.from({ length: 5 }, (_, n) => `$${used + n + 1}`)
  return `ops.advance_consumer(${group}, ${epoch}, ${from}::bigint[], ${to}::bigint[], ${leaseMs})`
}

const advanceValues = ({ lease, at }: Session, to: Position): unknown[] => [
  lease.name,
  lease.epoch,
  literal(at),
  literal(to),
  groupLeases.leaseMs,
]

const fenced = ({ lease }: Session): Fenced => new Fenced(`the consumer group ${lease.name} is run by another process`)

/** The session's position as a cursor. */
export function cursorOf(session: Session): Cursor {
  return {
    at: () => session.at,
    move: (tx, to) => advance(tx, session, to),
    moveWith: (pool, to, effect) => advanceWith(pool, session, to, effect),
    moved: (to) => {
      session.at = to
    },
  }
}

export function isStart(position: Position): boolean {
  return position.commit === START.commit && position.prepare === START.prepare
}

const literal = ({ commit, prepare }: Position): string => `{${commit},${prepare}}`

/** In a partition in which a group has handled everything published, the relay's position counts. */
const HANDLED = `select c.consumer_group as "group", greatest(c.position_commit, (
    select min(case when (p.position_commit, p.position_prepare) >= (l.position_commit, l.position_prepare)
                    then r.position_commit else p.position_commit end)
    from ops.relay r join ops.relay_partition l using (topic)
    join ops.consumer_partition p on p.consumer_group = c.consumer_group and p.partition = l.partition
    where r.id = c.relay)) as commit
  from ops.consumer_checkpoint c`

type HandledRow = Readonly<{ group: string; commit: bigint }>

/** The position up to which a group has handled everything, from the log or from Kafka; 0 when there is no such group yet. */
export async function handledUpTo(pool: Pool, group: string): Promise<bigint> {
  const { rows } = await pool.query<HandledRow>({ name: 'handled-up-to', text: `${HANDLED} where c.consumer_group = $1`, values: [group] })
  return rows[0]?.commit ?? 0n
}

/** The same of every group, by name. */
export async function handledByGroups(pool: Pool): Promise<readonly HandledRow[]> {
  const { rows } = await pool.query<HandledRow>(`${HANDLED} order by c.consumer_group`)
  return rows
}
