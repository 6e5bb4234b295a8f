import { OperationFailed } from '@tidings/config'
import type { Position } from '@tidings/event-store'
import type { ClientBase, Pool } from 'pg'
import { openTilesOf, type Tile } from './tree/growing-tree.ts'
import { HASH_BYTES } from './tree/hash.ts'
import { TILE_WIDTH } from './tree/tiles.ts'

type Queryable = Pick<Pool | ClientBase, 'query'>

/**
 * The size of the stored tree. `last`: the position of its last leaf's event, `before`: of the event before that. `created`: when the last was
 * recorded; null where an older version of this package moved the tree.
 */
export type TreeSize = Readonly<{ size: number; last: Position; before: Position; created: string | null }>

/** The tree needs tiles that are not in the database, or are too short there. */
export class TreeDamaged extends OperationFailed {}

type TreeRow = Readonly<{
  size: bigint
  last_commit: bigint
  last_prepare: bigint
  before_commit: bigint
  before_prepare: bigint
  created: Date | null
}>

/** Null before the first leaf. */
export async function readTreeSize(db: Queryable): Promise<TreeSize | null> {
  const { rows } = await db.query<TreeRow>(
    'select size, position_commit as last_commit, position_prepare as last_prepare, before_commit, before_prepare, created from proof.tree',
  )
  const row = rows[0]
  if (row === undefined) return null
  return {
    size: Number(row.size),
    last: { commit: row.last_commit, prepare: row.last_prepare },
    before: { commit: row.before_commit, prepare: row.before_prepare },
    created: row.created?.toISOString() ?? null,
  }
}

export type TileName = Readonly<{ level: number; index: number }>

/** A tile's place in a map, and its name in sentences. */
export function tileKey({ level, index }: TileName): string {
  return `${level}/${index}`
}

/** Tiles by `tileKey`; those that do not exist are not in it. */
export async function readTiles(db: Queryable, names: readonly TileName[]): Promise<ReadonlyMap<string, Buffer>> {
  const wanted = [...new Map(names.map((name) => [tileKey(name), name])).values()]
  const { rows } = await db.query<{ level: number; index: bigint; hashes: Buffer }>({
    name: 'proof_tiles',
    text: `select t.level, t.index, t.hashes from unnest($1::smallint[], $2::bigint[]) w(level, index) join proof.tile t using (level, index)`,
    values: [wanted.map(({ level }) => level), wanted.map(({ index }) => index)],
  })
  return new Map(rows.map(({ level, index, hashes }) => [tileKey({ level, index: Number(index) }), hashes]))
}

/** The tiles that a tree of this size is continued with, and the hash of its last leaf. */
export async function readEdge(db: Queryable, size: number): Promise<Readonly<{ open: readonly Tile[]; lastLeaf: Buffer }>> {
  const names = openTilesOf(size)
  const ofLast = { level: 0, index: Math.floor((size - 1) / TILE_WIDTH) }
  const tiles = await readTiles(db, [...names, ofLast])
  const hashesOf = (name: TileName): Buffer => {
    const hashes = tiles.get(tileKey(name))
    if (hashes === undefined)
      throw new TreeDamaged(`The tile ${tileKey(name)} of the tree over the log is missing: run \`tidings log verify --repair\`.`)
    return hashes
  }
  const at = ((size - 1) % TILE_WIDTH) * 32
  return {
    open: names.map(({ level, index }) => ({ level, index, hashes: hashesOf({ level, index }) })),
    lastLeaf: hashesOf(ofLast).subarray(at, at + 32),
  }
}

/** `position`: the position of the last leaf's event, for a tile of level 0. */
export type TileToWrite = Tile & Readonly<{ position: Position | null }>

// The tree is moved from exactly where it was, and its tiles with it, or nothing is: of two processes one does nothing.
const EXTEND = `
with moved as (
  insert into proof.tree as t (size, position_commit, position_prepare, before_commit, before_prepare, created)
  select $2, $3, $4, $5, $6, $12::timestamptz where $1::bigint = 0 or exists (select from proof.tree)
  on conflict (single) do update set size = excluded.size, position_commit = excluded.position_commit,
    position_prepare = excluded.position_prepare, before_commit = excluded.before_commit, before_prepare = excluded.before_prepare,
    created = excluded.created
  where t.size = $1
  returning t.size),
written as (
  insert into proof.tile as t (level, index, hashes, position_commit, position_prepare)
  select n.* from unnest($7::smallint[], $8::bigint[], $9::bytea[], $10::bigint[], $11::bigint[]) n where exists (select from moved)
  on conflict (level, index) do update set hashes = excluded.hashes, position_commit = excluded.position_commit,
    position_prepare = excluded.position_prepare)
select size from moved`

/** Stores a tree that has grown from `from` leaves, in one statement. False where it was not `from` leaves any more: nothing was written. */
export async function extendTree(
  db: Queryable,
  from: number,
  { size, last, before, created }: TreeSize,
  tiles: readonly TileToWrite[],
): Promise<boolean> {
  const { rows } = await db.query({
    name: 'proof_extend',
    text: EXTEND,
    values: [
      ...[from, size, last.commit, last.prepare, before.commit, before.prepare],
      tiles.map(({ level }) => level),
      tiles.map(({ index }) => index),
      tiles.map(({ hashes }) => hashes),
      tiles.map(({ position }) => position?.commit ?? null),
      tiles.map(({ position }) => position?.prepare ?? null),
      created,
    ],
  })
  return rows.length > 0
}

/** 256 to the power of 8 events have no higher level. */
const LEVELS = `
  select l.level, (select size from proof.tree) as size, coalesce(sum(length(t.hashes)), 0)::bigint as bytes
  from generate_series(0, 7) l(level) left join proof.tile t using (level) group by l.level order by l.level`

type TreeLevelRow = Readonly<{ level: number; size: bigint | null; bytes: bigint }>

/**
 * Throws `TreeDamaged` where a tile of the stored tree is missing, too short or too long. What is in a tile is not looked at: `verifyLog` does. Reads
 * the lengths of the tiles alone, one of 256 events.
 */
export async function assertTreeWhole(pool: Pool): Promise<void> {
  const { rows } = await pool.query<TreeLevelRow>(LEVELS)
  for (const { level, size, bytes } of rows) {
    const expected = Math.floor(Number(size ?? 0) / TILE_WIDTH ** level) * HASH_BYTES
    if (Number(bytes) === expected) continue
    throw new TreeDamaged(
      `The tree over the log is damaged: its level ${level} has ${Number(bytes) / HASH_BYTES} hashes instead of ${expected / HASH_BYTES}. Run \`tidings log verify --repair\`.`,
    )
  }
}
