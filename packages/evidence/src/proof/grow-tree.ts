import { OperationFailed } from '@tidings/config'
import { type Batch, type EventStore, type Position, type RecordedEvent, START } from '@tidings/event-store'
import type { Pool } from 'pg'
import { leafOf } from './stored-event.ts'
import { GrowingTree, type Tile } from './tree/growing-tree.ts'
import { HASH_BYTES } from './tree/hash.ts'
import { TILE_WIDTH } from './tree/tiles.ts'
import { extendTree, readEdge, readTreeSize, type TileToWrite, type TreeSize } from './tree-tables.ts'

/** The log does not hold the events that the tree was made of. Nothing is added to the tree then. */
export class LogDiffers extends OperationFailed {}

export type Growing = Readonly<{
  pool: Pool
  store: Pick<EventStore, 'readAll'>
  signal?: AbortSignal
  /** Leaves so far, after each page but the last. The next is read when it has resolved. */
  onProgress?: (size: number) => Promise<void> | void
}>

/** One page is one statement, of 2 000 leaves: some nine tiles of 8 KiB. */
const PAGE = 2_000

type Stored = Readonly<{ state: TreeSize | null; tree: GrowingTree; lastLeaf: Buffer | null }>

const readStored = async (pool: Pool): Promise<Stored> => {
  const state = await readTreeSize(pool)
  if (state === null) return { state, tree: new GrowingTree(0, []), lastLeaf: null }
  const { open, lastLeaf } = await readEdge(pool, state.size)
  return { state, tree: new GrowingTree(state.size, open), lastLeaf }
}

/** The events that have no leaf yet, of a page that begins with that of the last leaf: a log that went back, or was changed there, is noticed. */
const newEvents = ({ state, lastLeaf }: Stored, events: readonly RecordedEvent[]): readonly RecordedEvent[] => {
  if (state === null || lastLeaf === null) return events
  const [known, ...others] = events
  if (known !== undefined && leafOf(known).equals(lastLeaf)) return others
  throw new LogDiffers(
    `The log does not have the last of the ${state.size} events that its tree was made of: it went back, or was changed. Run \`tidings log verify\`.`,
  )
}

/** The leaf that is the last of a tile of level 0 is that of the event at this number among the new ones. */
const tileToWrite = (tile: Tile, from: number, events: readonly RecordedEvent[]): TileToWrite => {
  if (tile.level > 0) return { ...tile, position: null }
  const end = tile.index * TILE_WIDTH + tile.hashes.length / HASH_BYTES
  return { ...tile, position: events[end - from - 1]?.position ?? null }
}

const endOf = (state: TreeSize | null, events: readonly RecordedEvent[]): Omit<TreeSize, 'size'> => {
  const [last, before] = [events.at(-1), events.at(-2)]
  return { last: last?.position ?? START, before: before?.position ?? state?.last ?? START, created: last?.created ?? null }
}

/**
 * Adds a leaf for every event of the log that has none; answers how many the tree has then, or where the signal ended it. Right in two
 * processes at once, and in one that is killed: what one adds the other finds. Throws `LogDiffers`, and what the log and the database throw.
 */
export async function growTree({ pool, store, signal, onProgress }: Growing): Promise<number> {
  let stored = await readStored(pool)
  /** The position up to which this call has read; null if the last leaf must be compared first. */
  let read: Position | null = null
  while (signal?.aborted !== true) {
    const { events, to, caughtUp }: Batch = await store.readAll(read ?? stored.state?.before ?? 'start', PAGE)
    const added: readonly RecordedEvent[] = read === null ? newEvents(stored, events) : events
    const grown: Stored | null = added.length === 0 ? stored : await addLeaves(pool, stored, added)
    // Another process was faster: it may not be at the end.
    stored = grown ?? (await readStored(pool))
    read = grown === null ? null : to
    if (grown !== null && caughtUp) break
    await onProgress?.(stored.state?.size ?? 0)
  }
  return stored.state?.size ?? 0
}

/** Null where the tree was moved meanwhile. */
const addLeaves = async (pool: Pool, { state, tree }: Stored, events: readonly RecordedEvent[]): Promise<Stored | null> => {
  const from = tree.size
  const leaves = events.map(leafOf)
  for (const leaf of leaves) tree.append(leaf)
  const grown = { size: tree.size, ...endOf(state, events) }
  const tiles = tree.takeChanged().map((tile) => tileToWrite(tile, from, events))
  return (await extendTree(pool, from, grown, tiles)) ? { state: grown, tree, lastLeaf: leaves.at(-1) ?? null } : null
}
