import { HASH_BYTES, nodeHash } from './hash.ts'
import { type Range, type Subtree, subtreesOf } from './ranges.ts'

/** Hashes of a tile; those of level 0 are of leaves, each of another level is of a whole tile of the level below. */
export const TILE_WIDTH = 256
const TILE_HEIGHT = 8

/** Which hashes of which tile a subtree is made of. */
export type Place = Readonly<{ level: number; index: number; offset: number; count: number }>

/** Where the hash of a subtree can be had from. */
export function placeOf({ height, index }: Subtree): Place {
  const count = 2 ** (height % TILE_HEIGHT)
  const first = index * count
  return { level: Math.floor(height / TILE_HEIGHT), index: Math.floor(first / TILE_WIDTH), offset: first % TILE_WIDTH, count }
}

/** The tiles that the hashes of these ranges are made of. */
export function placesOf(ranges: readonly Range[]): readonly Place[] {
  return ranges.flatMap(subtreesOf).map(placeOf)
}

/** The hash of `count` neighbours, a power of two. */
export function rootOf(hashes: Buffer, offset: number, count: number): Buffer {
  if (count === 1) return hashes.subarray(offset * HASH_BYTES, (offset + 1) * HASH_BYTES)
  const half = count / 2
  return nodeHash(rootOf(hashes, offset, half), rootOf(hashes, offset + half, half))
}

/** The hashes of a tile, one behind the other; at least as many as `place` needs. */
export type HashesOf = (place: Place) => Buffer

/** The root of a range, which must be one of a proof or begin at 0. */
export function hashOfRange(range: Range, hashesOf: HashesOf): Buffer {
  const [last, ...others] = subtreesOf(range)
    .map(placeOf)
    .map((place) => rootOf(hashesOf(place), place.offset, place.count))
    .toReversed()
  if (last === undefined) throw new Error('an empty range has no subtrees')
  return others.reduce((right, left) => nodeHash(left, right), last)
}
