import type { Pool } from 'pg'
import { HASH_BYTES } from '../tree/hash.ts'
import { TILE_WIDTH } from '../tree/tiles.ts'
import { readTiles, TreeDamaged, tileKey } from '../tree-tables.ts'

const TILES_A_READ = 64

/** The leaves that the stored tree has, read forwards; what is behind the reader is dropped. */
export class ExpectedLeaves {
  readonly #pool: Pool
  readonly #size: number
  #hashes = Buffer.alloc(0)
  #from = 0
  #to = 0

  constructor(pool: Pool, size: number) {
    this.#pool = pool
    this.#size = size
  }

  /** Makes `count` leaves from `index` on known, as far as the tree has them; answers how many those are. */
  async load(index: number, count: number): Promise<number> {
    const to = Math.min(index + count, this.#size)
    if (index >= this.#from && to <= this.#to) return to - index
    const first = Math.floor(index / TILE_WIDTH)
    const tiles = Math.max(TILES_A_READ, Math.ceil(count / TILE_WIDTH) + 1)
    const names = Array.from({ length: tiles }, (_, n) => ({ level: 0, index: first + n })).filter(
      (name) => name.index * TILE_WIDTH < this.#size,
    )
    const stored = await readTiles(this.#pool, names)
    const hashes = names.map((name) => {
      const found = stored.get(tileKey(name))
      const leaves = Math.min(TILE_WIDTH, this.#size - name.index * TILE_WIDTH)
      if (found === undefined || found.length < leaves * HASH_BYTES)
        throw new TreeDamaged(
          `The tile ${tileKey(name)} of the tree over the log is missing or too short: run \`tidings log verify --repair\`.`,
        )
      return found.subarray(0, leaves * HASH_BYTES)
    })
    this.#hashes = Buffer.concat(hashes)
    this.#from = first * TILE_WIDTH
    this.#to = this.#from + this.#hashes.length / HASH_BYTES
    return to - index
  }

  /** Leaves that were loaded, one behind the other. */
  from(index: number, count: number): Buffer {
    const at = (index - this.#from) * HASH_BYTES
    return this.#hashes.subarray(at, at + count * HASH_BYTES)
  }
}

/** The hash at this number of several. */
export function leafAt(leaves: Buffer, n: number): Buffer {
  return leaves.subarray(n * HASH_BYTES, (n + 1) * HASH_BYTES)
}
