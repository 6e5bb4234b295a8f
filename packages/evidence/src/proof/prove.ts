import type { Position } from '@tidings/event-store'
import type { ClientBase, Pool } from 'pg'
import { leafOf, type StoredEvent } from './stored-event.ts'
import { HASH_BYTES } from './tree/hash.ts'
import { consistencyRanges, inclusionRanges, type Range } from './tree/ranges.ts'
import { hashOfRange, positionsOf, TILE_WIDTH } from './tree/tiles.ts'
import { readTiles, TreeDamaged, tileKey } from './tree-tables.ts'

type Queryable = Pick<Pool | ClientBase, 'query'>

/** A leaf, and the hashes that lead from it to the root, as hex. */
export type Included = Readonly<{ index: number; path: readonly string[] }>

/** The hashes of some ranges, in one read of all the tiles that they need. */
async function hashesOfAll(db: Queryable, ranges: readonly Range[]): Promise<(range: Range) => Buffer> {
  const tiles = await readTiles(db, positionsOf(ranges))
  return (range) =>
    hashOfRange(range, (position) => {
      const hashes = tiles.get(tileKey(position))
      if (hashes === undefined || hashes.length < (position.offset + position.count) * HASH_BYTES)
        throw new TreeDamaged(
          `The tile ${tileKey(position)} of the tree over the log is missing or too short: run \`tidings log verify --repair\`.`,
        )
      return hashes
    })
}

/** The root of the first `size` leaves. */
export async function rootAt(db: Queryable, size: number): Promise<string> {
  const whole = { from: 0, to: size }
  return (await hashesOfAll(db, [whole]))(whole).toString('hex')
}

/** Proofs a read: some twenty hashes each, of tiles of 8 KiB. */
const PROOFS = 200

/** Proofs, one for each of the sizes, that the tree of so many leaves begins the tree of `size`. */
export async function consistencyPaths(db: Queryable, sizes: readonly number[], size: number): Promise<readonly (readonly string[])[]> {
  const paths: (readonly string[])[] = []
  for (let from = 0; from < sizes.length; from += PROOFS) {
    const ranges = sizes.slice(from, from + PROOFS).map((old) => consistencyRanges(old, size))
    const hashOf = await hashesOfAll(db, ranges.flat())
    for (const path of ranges) paths.push(path.map((range) => hashOf(range).toString('hex')))
  }
  return paths
}

const TILES_AT = `
select t.index, t.hashes from unnest($1::bigint[], $2::bigint[]) with ordinality w(commit, prepare, n)
cross join lateral (
  select index, hashes from proof.tile where level = 0 and (position_commit, position_prepare) >= (w.commit, w.prepare)
  order by position_commit, position_prepare limit 1) t
order by w.n`

type Proven = StoredEvent & Readonly<{ position: Position }>

/** Finds the leaf of the event. Its hash must be among those of the tile that its position falls into. */
const indexOf = (event: StoredEvent, tile: Readonly<{ index: bigint; hashes: Buffer }> | undefined): number => {
  const leaf = leafOf(event)
  for (let at = 0; tile !== undefined && at < tile.hashes.length; at += HASH_BYTES)
    if (leaf.equals(tile.hashes.subarray(at, at + HASH_BYTES))) return Number(tile.index) * TILE_WIDTH + at / HASH_BYTES
  throw new TreeDamaged(
    `The event ${event.id} of ${event.stream} (revision ${event.revision}) is not what the tree over the log was made of: run \`tidings log verify\`.`,
  )
}

/** The proofs that events are in the tree of the first `size`, in their order. Throws `TreeDamaged` for one that is not in it as it is now. */
export async function inclusions(db: Queryable, events: readonly Proven[], size: number): Promise<readonly Included[]> {
  const positions = events.map(({ position }) => position)
  const { rows } = await db.query<{ index: bigint; hashes: Buffer }>({
    name: 'proof_tiles_at',
    text: TILES_AT,
    values: [positions.map(({ commit }) => commit), positions.map(({ prepare }) => prepare)],
  })
  const indices = events.map((event, n) => indexOf(event, rows[n]))
  const paths = indices.map((index) => inclusionRanges(index, size))
  const hashOf = await hashesOfAll(db, paths.flat())
  return indices.map((index, n) => ({ index, path: paths[n]!.map((range) => hashOf(range).toString('hex')) }))
}
