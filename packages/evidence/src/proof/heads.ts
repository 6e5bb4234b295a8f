import { OperationFailed } from '@tidings/config'
import type { Position } from '@tidings/event-store'
import type { ClientBase, Pool } from 'pg'
import type { LogKey } from './log-key.ts'
import { rootAt } from './prove.ts'
import { readTreeSize } from './tree-tables.ts'

type Queryable = Pick<Pool | ClientBase, 'query'>

export const HEAD_KIND = 'tidings tree head v1'

/**
 * What is signed of a tree: `root` over its first `size` leaves, and whose log it is. `at`: when the last of these events was recorded, by the
 * clock of the log, so that nothing that is not in the tree was recorded before it (M60). Fixed for ever.
 */
type HeadStatement = Readonly<{ at: string; kind: typeof HEAD_KIND; log: string; root: string; size: number }>

export type SignedHead = Readonly<{ signature: string; statement: HeadStatement }>

/** The newest head, which is of the whole tree, and the position of its last event. */
export type HeadOfAll = Readonly<{ head: SignedHead; end: Position }>

/** A tree head that was signed contradicts the tree: the log, or its tree, was replaced. Nothing is signed then. */
export class HeadContradicted extends OperationFailed {}

type HeadRow = Readonly<{ size: bigint; root: Buffer; at: Date; signature: Buffer }>

/** Anchored heads in every export, the newest: a copy of the anchor with more of them is named with the export. */
const ANCHORED = 100
/** The most heads that are signed while an export is written; one of them may get anchored. */
const MAYBE_ANCHORED = 20

const COLUMNS = 'size, root, at, signature'

const headOf = ({ size, root, at, signature }: HeadRow, log: string): SignedHead => ({
  signature: signature.toString('hex'),
  statement: { at: at.toISOString(), kind: HEAD_KIND, log, root: root.toString('hex'), size: Number(size) },
})

/** The newest head; null before the first. */
export async function lastHead(db: Queryable, { fingerprint }: LogKey): Promise<SignedHead | null> {
  const { rows } = await db.query<HeadRow>(`select ${COLUMNS} from proof.head order by size desc limit 1`)
  return rows[0] === undefined ? null : headOf(rows[0], fingerprint)
}

/** Some heads from `above` on, by size. */
export async function headsAbove(db: Queryable, above: number, limit: number, { fingerprint }: LogKey): Promise<readonly SignedHead[]> {
  const { rows } = await db.query<HeadRow>(`select ${COLUMNS} from proof.head where size > $1 order by size limit $2`, [above, limit])
  return rows.map((row) => headOf(row, fingerprint))
}

/** `isExact`: it is dated by the time of its last event, and not by the clock of a process, as versions before this one did. */
export type KeptHead = Readonly<{ head: SignedHead; isExact: boolean }>

type KeptRow = HeadRow & Readonly<{ exact: boolean }>

const KEPT = `${COLUMNS}, signed_at is not null as exact`

const keptOf = (rows: readonly KeptRow[], { fingerprint }: LogKey): readonly KeptHead[] =>
  rows.map((row) => ({ head: headOf(row, fingerprint), isExact: row.exact }))

/** The first head that has each leaf and the last one that has not, each once, without heads of `size` or more leaves. */
export async function headsAround(
  db: Queryable,
  { indices, size }: Readonly<{ indices: readonly number[]; size: number }>,
  key: LogKey,
): Promise<readonly KeptHead[]> {
  const { rows } = await db.query<KeptRow>(
    `select distinct h.* from unnest($1::bigint[]) w(index)
     cross join lateral (
       (select ${KEPT} from proof.head where size > w.index and size < $2 order by size limit 1)
       union (select ${KEPT} from proof.head where size <= w.index order by size desc limit 1)) h order by size`,
    [indices, size],
  )
  return keptOf(rows, key)
}

/** The newest anchored heads of less than `size` leaves, and the next behind them, which may be anchored at this moment. None before one was anchored. */
export async function anchoredHeadsBelow(db: Queryable, size: number, key: LogKey): Promise<readonly KeptHead[]> {
  const { rows } = await db.query<KeptRow>(
    `with anchored as (select size from proof.head where size < $1 and anchored_at is not null order by size desc limit ${ANCHORED})
     select ${KEPT} from proof.head where size in (select size from anchored)
     union (select ${KEPT} from proof.head where size < $1 and size > (select max(size) from anchored) order by size desc limit ${MAYBE_ANCHORED})
     order by size`,
    [size],
  )
  return keptOf(rows, key)
}

const KEEP = 'insert into proof.head (size, root, at, signature, signed_at) values ($1, $2, $3, $4, $5) on conflict do nothing'

const later = (one: string, other: string): string => (one > other ? one : other)

/**
 * The head of the whole tree, signed and kept; one of that size that is there already is taken. Null where the tree has no leaf. Throws
 * `HeadContradicted` where the tree does not continue the newest head.
 */
export async function signHead(db: Queryable, key: LogKey, now: () => Date): Promise<HeadOfAll | null> {
  const tree = await readTreeSize(db)
  const newest = await lastHead(db, key)
  if (newest !== null) await assertContinues(db, newest, tree?.size ?? 0)
  if (tree === null) return null
  const { size, last: end } = tree
  if (newest?.statement.size === size) return { head: newest, end }
  const signedAt = now().toISOString()
  // A head that is older by its size is not newer by its time: one of an earlier version may be dated by a clock that was ahead.
  const at = later(tree.created ?? signedAt, newest?.statement.at ?? '')
  const statement: HeadStatement = { at, kind: HEAD_KIND, log: key.fingerprint, root: await rootAt(db, size), size }
  const signature = Buffer.from(key.sign(statement), 'hex')
  await db.query(KEEP, [size, Buffer.from(statement.root, 'hex'), at, signature, at === tree.created ? signedAt : null])
  const [head] = await headsAbove(db, size - 1, 1, key)
  return head === undefined ? null : { head, end }
}

/** The time at which the newest head was signed, by the signer's clock; null before the first. */
export async function lastSignedAt(db: Queryable): Promise<Date | null> {
  const { rows } = await db.query<{ at: Date }>('select coalesce(signed_at, at) as at from proof.head order by size desc limit 1')
  return rows[0]?.at ?? null
}

/** Throws where the tree of now does not begin with that of the head. */
export async function assertContinues(db: Queryable, { statement }: SignedHead, size: number): Promise<void> {
  if (statement.size > size)
    throw new HeadContradicted(
      `A tree head of ${statement.size} events was signed at ${statement.at}, and the log has ${size}: it went back. Run \`tidings log verify\`.`,
    )
  if ((await rootAt(db, statement.size)) !== statement.root)
    throw new HeadContradicted(
      `The first ${statement.size} events are not those of the tree head of ${statement.at}: the log or its tree was replaced. Run \`tidings log verify\`.`,
    )
}
