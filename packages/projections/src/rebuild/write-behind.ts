import { roughSize } from '@tidings/codec'
import { START } from '@tidings/event-store'
import { LRUCache } from 'lru-cache'
import type { AnyProjection } from '../projection.ts'
import { cachedRows, type Image, type Images, type RowCache } from '../row-cache.ts'
import type { AnyTable } from '../table.ts'

/**
 * Holds the images of a rebuild: those that are not yet written to the next tables, and the last written ones. So a row that changes often is
 * written once, and not once a page. Waiting loses nothing, because a rebuild that ends early starts anew.
 * In a build by stream, only rows of a stream that was written in its middle are read from the tables again.
 */
export type WriteBehind = Readonly<{
  cache: RowCache
  /** The events that are folded next. */
  folds: (events: readonly Readonly<{ stream: string }>[]) => void
  /** The images that a page has written. */
  take: (written: Images) => void
  /** Whether as many rows are ahead as memory may hold. */
  isFull: () => boolean
  /** Hands out what is ahead, to be written before any row is read from the tables; from now on it counts as stored. */
  drain: () => Images
  /** Forgets every image: the tables are not what they were made from. */
  forget: () => void
}>

/**
 * `aheadBytes`: the bytes of unwritten images that are kept. `stored`: the number of written images that are kept, as a multiple of the live
 * owner's, and at most as much again of each table: ten thousand profiles of 25 KB would end a thread. `byStream`: one stream comes after the
 * other, and no written image is kept; rows of tables that add begin at nothing, at first and after each `drain`, whatever the tables hold.
 */
export type ImageLimits = Readonly<{ aheadBytes: number; stored: number; byStream: boolean }>

const NOTHING: Image = { row: null, key: [], last: START, stored: false }

/** What an image takes beside its row: its key, as values and as text, its position, its place in a map. */
const IMAGE_BYTES = 300

export function writeBehind(projection: AnyProjection, limits: ImageLimits): WriteBehind {
  let stored = storedImages(projection, limits)
  let ahead = emptyImages(projection)
  let bytes = 0
  let folding: Ends = { first: null, last: null }
  let taken: string | null = null
  /** The stream of which the tables may hold rows. */
  let cut: string | null = null
  const isNowhereElse = (table: AnyTable): boolean => limits.byStream && (table.adds !== undefined || cut === null || folding.first !== cut)
  const imagesOf = (table: AnyTable) => ({
    get: (text: string) => ahead.get(table)?.get(text) ?? (isNowhereElse(table) ? NOTHING : stored.get(table)?.get(text)),
    set: (text: string, image: Image) => ahead.get(table)?.set(text, { ...image, bytes: bytesOf(image) }),
    delete: (text: string) => ahead.get(table)?.delete(text),
  })
  return {
    cache: new Map(projection.tables.map((table) => [table, imagesOf(table)])),
    folds: (events) => {
      folding = { first: events[0]?.stream ?? null, last: events.at(-1)?.stream ?? null }
    },
    take: (written) => {
      taken = folding.last
      for (const [table, images] of written) {
        const known = ahead.get(table)
        // What the table itself holds is what it held before the first of the changes.
        for (const [text, { row, key, last, stored: found }] of images) {
          const before = known?.get(text)
          const size = bytesOf({ row })
          bytes += size - (before?.bytes ?? 0)
          if (before === undefined) known?.set(text, { row, key, last, stored: found, bytes: size })
          else {
            before.row = row
            before.last = last
            before.bytes = size
          }
        }
      }
    },
    isFull: () => bytes >= limits.aheadBytes,
    drain: () => {
      const drained = ahead
      ahead = emptyImages(projection)
      bytes = 0
      cut = taken
      for (const [table, images] of drained) keepStored(stored.get(table), images)
      return drained
    },
    forget: () => {
      stored = storedImages(projection, limits)
      ahead = emptyImages(projection)
      bytes = 0
    },
  }
}

type Ends = Readonly<{ first: string | null; last: string | null }>

/** Changed in place: no other code holds it before it is drained. */
type AheadImage = { -readonly [Part in keyof Image]: Image[Part] } & { bytes: number }

const bytesOf = ({ row }: Readonly<{ row: object | null }>): number => IMAGE_BYTES + roughSize(row)

const emptyImages = (projection: AnyProjection) => new Map(projection.tables.map((table) => [table, new Map<string, AheadImage>()]))

type Stored = ReadonlyMap<AnyTable, LRUCache<string, Image>>

const storedImages = ({ tables }: AnyProjection, { stored, aheadBytes, byStream }: ImageLimits): Stored => {
  if (byStream) return new Map()
  const maxSize = Math.max(1, Math.floor(aheadBytes))
  return new Map(tables.map((table) => [table, new LRUCache<string, Image>({ max: cachedRows(table) * stored, maxSize })]))
}

const keepStored = (cache: LRUCache<string, Image> | undefined, images: ReadonlyMap<string, AheadImage>): void => {
  if (cache === undefined) return
  for (const [text, { row, key, last, bytes: size }] of images) {
    if (row === null) cache.delete(text)
    else cache.set(text, { row, key, last, stored: true }, { size })
  }
}
