import { type Position, START } from '@tidings/event-store'
import type { Pool } from 'pg'
import { GrowingTree, openTilesOf } from '../tree/growing-tree.ts'

/** How far a verification is: the tree of the first `size` leaves, up to the event at `after`. */
export type Verification = { tree: GrowingTree; after: Position; readonly begunAt: string; readonly problems: string[] }

type Row = Readonly<{
  size: bigint
  position_commit: bigint
  position_prepare: bigint
  begun_at: Date
  open_tiles: readonly Readonly<{ level: number; index: number; hashes: string }>[]
  problems: string[]
}>

/** From the first event on. */
export function beginVerification(): Verification {
  return { tree: new GrowingTree(0, []), after: START, begunAt: new Date().toISOString(), problems: [] }
}

/** What a verification had found that was stopped; null where there was none. */
export async function readVerification(pool: Pool): Promise<Verification | null> {
  const { rows } = await pool.query<Row>('select * from proof.verification')
  const row = rows[0]
  if (row === undefined) return null
  const open = row.open_tiles.map(({ level, index, hashes }) => ({ level, index, hashes: Buffer.from(hashes, 'hex') }))
  return {
    tree: new GrowingTree(Number(row.size), open),
    after: { commit: row.position_commit, prepare: row.position_prepare },
    begunAt: row.begun_at.toISOString(),
    problems: row.problems,
  }
}

export async function saveVerification(pool: Pool, { tree, after, begunAt, problems }: Verification): Promise<void> {
  const open = openTilesOf(tree.size).map(({ level, index }) => ({ level, index, hashes: tree.openHashes(level).toString('hex') }))
  await pool.query(
    `insert into proof.verification (size, position_commit, position_prepare, begun_at, open_tiles, problems) values ($1, $2, $3, $4, $5, $6)
     on conflict (single) do update set size = excluded.size, position_commit = excluded.position_commit,
       position_prepare = excluded.position_prepare, begun_at = excluded.begun_at, open_tiles = excluded.open_tiles, problems = excluded.problems`,
    [tree.size, after.commit, after.prepare, begunAt, JSON.stringify(open), JSON.stringify(problems)],
  )
}

export async function endVerification(pool: Pool): Promise<void> {
  await pool.query('delete from proof.verification')
}
