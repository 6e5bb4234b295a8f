import { HASH_BYTES, hashPair, nodeHash } from './hash.ts'
import { type Range, type Subtree, subtreesOf } from './ranges.ts'

/** Hashes of a tile; those of level 0 are of leaves, each of another level is of a whole tile of the level below. */
export const TILE_WIDTH = 256
const TILE_HEIGHT = 8

/** The hashes of a tile that make a subtree. */
export type TilePosition = Readonly<{ level: number; index: number; offset: number; count: number }>

/** A source of the hashes of subtrees. */
function positionOf({ height, index }: Subtree): TilePosition {
  const count = 2 ** (height % TILE_HEIGHT)
  const first = index * count
  return { level: Math.floor(height / TILE_HEIGHT), index: Math.floor(first / TILE_WIDTH), offset: first % TILE_WIDTH, count }
}

/** The tiles that the hashes of these ranges are made of. */
export function positionsOf(ranges: readonly Range[]): readonly TilePosition[] {
  return ranges.flatMap(subtreesOf).map(positionOf)
}

const scratch = Buffer.alloc(TILE_WIDTH * HASH_BYTES)

/** The hash of `count` neighbours, a power of two. */
export function rootOf(hashes: Buffer, offset: number, count: number): Buffer {
  hashes.copy(scratch, 0, offset * HASH_BYTES, (offset + count) * HASH_BYTES)
  for (let nodes = count / 2; nodes >= 1; nodes /= 2) {
    for (let n = 0; n < nodes; n++) hashPair(scratch, n * 2 * HASH_BYTES, n * HASH_BYTES)
  }
  return Buffer.from(scratch.subarray(0, HASH_BYTES))
}

/** The hashes of a tile, one behind the other; at least as many as `position` needs. */
export type HashesOf = (position: TilePosition) => Buffer

/** The root of a range, which must be one of a proof or begin at 0. */
export function hashOfRange(range: Range, hashesOf: HashesOf): Buffer {
  const [last, ...others] = subtreesOf(range)
    .map(positionOf)
    .map((position) => rootOf(hashesOf(position), position.offset, position.count))
    .toReversed()
  if (last === undefined) throw new Error('an empty range has no subtrees')
  return others.reduce((right, left) => nodeHash(left, right), last)
}
