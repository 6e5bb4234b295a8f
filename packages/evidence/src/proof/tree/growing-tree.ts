import { EMPTY_ROOT, HASH_BYTES } from './hash.ts'
import { hashOfRange, rootOf, TILE_WIDTH } from './tiles.ts'

/** `hashes`: one behind the other, at most 256. */
export type Tile = Readonly<{ level: number; index: number; hashes: Buffer }>

/** The tile of each level that is not full at `size`, where it has any hashes. */
export function openTilesOf(size: number): readonly Readonly<{ level: number; index: number; count: number }>[] {
  const tiles = []
  for (let [level, nodes] = [0, size]; nodes > 0; level += 1, nodes = Math.floor(nodes / TILE_WIDTH)) {
    const count = nodes % TILE_WIDTH
    if (count > 0) tiles.push({ level, index: Math.floor(nodes / TILE_WIDTH), count })
  }
  return tiles
}

type Level = { index: number; count: number; readonly hashes: Buffer }

const emptyLevel = (): Level => ({ index: 0, count: 0, hashes: Buffer.alloc(TILE_WIDTH * HASH_BYTES) })

/** The right edge of a Merkle tree, which is all that is needed to append to it. */
export class GrowingTree {
  readonly #levels: Level[] = []
  #full: Tile[] = []
  #changed = new Set<number>()
  #size: number

  /** `open`: the tiles of `openTilesOf(size)`; they may hold more, which is ignored. */
  constructor(size: number, open: readonly Tile[]) {
    this.#size = size
    for (let nodes = size; nodes > 0; nodes = Math.floor(nodes / TILE_WIDTH)) {
      const level = { ...emptyLevel(), index: Math.floor(nodes / TILE_WIDTH), count: nodes % TILE_WIDTH }
      const tile = open.find((each) => each.level === this.#levels.length)
      const bytes = level.count * HASH_BYTES
      if (bytes > 0 && (tile?.index !== level.index || tile.hashes.length < bytes))
        throw new Error(`the tile ${this.#levels.length}/${level.index} of the tree is missing or too short`)
      tile?.hashes.copy(level.hashes, 0, 0, bytes)
      this.#levels.push(level)
    }
  }

  get size(): number {
    return this.#size
  }

  append(leaf: Buffer): void {
    this.#size += 1
    this.#push(leaf, 0)
  }

  #push(hash: Buffer, at: number): void {
    const level = this.#levels[at] ?? emptyLevel()
    this.#levels[at] = level
    hash.copy(level.hashes, level.count * HASH_BYTES)
    level.count += 1
    this.#changed.add(at)
    if (level.count < TILE_WIDTH) return
    this.#full.push({ level: at, index: level.index, hashes: Buffer.from(level.hashes) })
    this.#changed.delete(at)
    level.index += 1
    level.count = 0
    this.#push(rootOf(level.hashes, 0, TILE_WIDTH), at + 1)
  }

  root(): Buffer {
    if (this.#size === 0) return EMPTY_ROOT
    return Buffer.from(hashOfRange({ from: 0, to: this.#size }, ({ level }) => this.#levels[level]!.hashes))
  }

  /** Those of the tile of this level that is not full. */
  openHashes(level: number): Buffer {
    const { count, hashes } = this.#levels[level] ?? emptyLevel()
    return hashes.subarray(0, count * HASH_BYTES)
  }

  /** The tiles that changed since it was last asked. */
  takeChanged(): readonly Tile[] {
    const open = [...this.#changed].map((at) => {
      const { index, count, hashes } = this.#levels[at]!
      return { level: at, index, hashes: Buffer.from(hashes.subarray(0, count * HASH_BYTES)) }
    })
    const changed = [...this.#full, ...open]
    this.#full = []
    this.#changed = new Set()
    return changed
  }
}
