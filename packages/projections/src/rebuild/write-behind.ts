import type { AnyProjection } from '../projection.ts'
import type { AnyTable } from '../table.ts'
import { cachedRows, type Image, type Images, type RowCache, rowCache } from '../working-set.ts'

/**
 * The images of a rebuild: those that are ahead of the next tables, and beside them the last ones that the tables hold. A row that changes
 * again and again is so written once and not once a page; a rebuild that ends early is begun anew, so nothing is lost by waiting.
 */
export type WriteBehind = Readonly<{
  cache: RowCache
  /** The images that a page has written. */
  take: (written: Images) => void
  /** Some table has as many rows ahead as it may have in memory. */
  isFull: () => boolean
  /** Hands out what is ahead, to be written before any row is read from the tables; from now on it counts as stored. */
  drain: () => Images
}>

/** Some 240 MB of profiles, whatever the factor says. */
const MOST_AHEAD = 200_000

/** How many images there may be of each kind, as multiples of what the live owner keeps. */
export type ImageFactors = Readonly<{ ahead: number; stored: number }>

export const writeBehind = (projection: AnyProjection, factors: ImageFactors): WriteBehind => {
  const stored = rowCache(projection, factors.stored)
  let ahead = emptyImages(projection)
  const imagesOf = (table: AnyTable) => ({
    get: (text: string) => ahead.get(table)?.get(text) ?? stored.get(table)?.get(text),
    set: (text: string, image: Image) => ahead.get(table)?.set(text, image),
    delete: (text: string) => ahead.get(table)?.delete(text),
  })
  return {
    cache: new Map(projection.tables.map((table) => [table, imagesOf(table)])),
    take: (written) => {
      for (const [table, images] of written) {
        const known = ahead.get(table)
        // What the table itself holds is what it held before the first of the changes.
        for (const [text, { row, key, last, stored: found }] of images) {
          const before = known?.get(text)
          if (before === undefined) known?.set(text, { row, key, last, stored: found })
          else {
            before.row = row
            before.last = last
          }
        }
      }
    },
    isFull: () =>
      projection.tables.some((table) => (ahead.get(table)?.size ?? 0) >= Math.min(cachedRows(table) * factors.ahead, MOST_AHEAD)),
    drain: () => {
      const drained = ahead
      ahead = emptyImages(projection)
      for (const [table, images] of drained) keepStored(stored, table, images)
      return drained
    },
  }
}

/** Changed in place: nobody else holds it before it is drained. */
type AheadImage = { -readonly [Part in keyof Image]: Image[Part] }

const emptyImages = (projection: AnyProjection) => new Map(projection.tables.map((table) => [table, new Map<string, AheadImage>()]))

const keepStored = (stored: RowCache, table: AnyTable, images: ReadonlyMap<string, Image>): void => {
  const cache = stored.get(table)
  for (const [text, image] of images) {
    if (image.row === null) cache?.delete(text)
    else cache?.set(text, { ...image, stored: true })
  }
}
