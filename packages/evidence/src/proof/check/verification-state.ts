import { type Position, START } from '@tidings/event-store'
import type { Pool } from 'pg'
import type { LogKey } from '../log-key.ts'
import { GrowingTree, openTilesOf } from '../tree/growing-tree.ts'

/** How far a verification is: the tree of the first `size` leaves, up to the event at `after`. */
export type Verification = {
  tree: GrowingTree
  after: Position
  /** The time at which the newest of these events was recorded. */
  latest: string
  readonly begunAt: string
  readonly problems: string[]
}

/** A row that is older may be one that was put back: what it says of the log is not of now. */
const MOST_HOURS = 24

type VerificationRow = Readonly<{
  size: bigint
  position_commit: bigint
  position_prepare: bigint
  begun_at: Date
  open_tiles: readonly Readonly<{ level: number; index: number; hashes: string }>[]
  problems: string[]
  latest: string | null
  signature: Buffer | null
}>

/** The state at the first event. */
export function beginVerification(): Verification {
  return { tree: new GrowingTree(0, []), after: START, latest: '', begunAt: new Date().toISOString(), problems: [] }
}

type Open = VerificationRow['open_tiles']

const signedOf = (open: Open, { tree, after, latest, begunAt, problems }: Verification): object => ({
  ...{ kind: 'tidings stopped verification v1', size: tree.size, after: `${after.commit}/${after.prepare}`, latest, begunAt, problems },
  open: open.map(({ level, index, hashes }) => ({ level, index, hashes })),
})

const verificationOf = ({ latest, ...row }: VerificationRow): Verification => ({
  tree: new GrowingTree(
    Number(row.size),
    row.open_tiles.map(({ level, index, hashes }) => ({ level, index, hashes: Buffer.from(hashes, 'hex') })),
  ),
  after: { commit: row.position_commit, prepare: row.position_prepare },
  latest: latest ?? '',
  begunAt: row.begun_at.toISOString(),
  problems: row.problems,
})

/**
 * What a verification had found that was stopped; null where there was none, and where the key of the log did not sign it: the row lies in the
 * database that is verified (M60).
 */
export async function readVerification(pool: Pool, key: LogKey): Promise<Verification | null> {
  const { rows } = await pool.query<VerificationRow>('select * from proof.verification')
  const row = rows[0]
  if (row?.signature == null || Date.now() - row.begun_at.getTime() > MOST_HOURS * 3_600_000) return null
  try {
    const verification = verificationOf(row)
    return key.isSigned(signedOf(row.open_tiles, verification), row.signature.toString('hex')) ? verification : null
  } catch {
    // Tiles that are none: the log's key did not sign them.
    return null
  }
}

export async function saveVerification(pool: Pool, key: LogKey, verification: Verification): Promise<void> {
  const { tree, after, latest, begunAt, problems } = verification
  const open = openTilesOf(tree.size).map(({ level, index }) => ({ level, index, hashes: tree.openHashes(level).toString('hex') }))
  await pool.query(
    `insert into proof.verification (size, position_commit, position_prepare, begun_at, open_tiles, problems, latest, signature)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (single) do update set size = excluded.size, position_commit = excluded.position_commit,
       position_prepare = excluded.position_prepare, begun_at = excluded.begun_at, open_tiles = excluded.open_tiles, problems = excluded.problems,
       latest = excluded.latest, signature = excluded.signature`,
    [
      ...[tree.size, after.commit, after.prepare, begunAt, JSON.stringify(open), JSON.stringify(problems), latest],
      Buffer.from(key.sign(signedOf(open, verification)), 'hex'),
    ],
  )
}

export async function endVerification(pool: Pool): Promise<void> {
  await pool.query('delete from proof.verification')
}
