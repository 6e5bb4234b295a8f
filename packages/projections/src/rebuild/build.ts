import type { DecodedBatch, EventLog, Recorded } from '@tidings/codec'
import { comparePositions, type Position, START } from '@tidings/event-store'
import type { PoolClient } from 'pg'
import { describe, FoldFailed } from '../follow/failure.ts'
import { foldBatch } from '../follow/fold-batch.ts'
import type { ParkedEvent } from '../follow/parking.ts'
import type { AnyProjection } from '../projection.ts'
import { deleteSql, insertSql, keyValues, parameters, rowValues, upsertSql } from '../sql/write-rows.ts'
import type { AnyTable } from '../table.ts'
import { type Image, type RowCache, rowCache, type WorkingSet } from '../working-set.ts'
import type { RebuildOptions } from './rebuild.ts'

const PAGE = 2_000
/** A rebuild keeps more images than the live owner: later events of a row then need no read. */
const CACHE_FACTOR = 4

/** A rebuild on its way; `events` counts those that concern the projection. Everything up to `position` is in the next tables, once `writing` has resolved. */
export type Building = {
  readonly projection: AnyProjection
  readonly log: EventLog
  readonly client: PoolClient
  readonly cache: RowCache
  readonly page: number
  readonly signal: AbortSignal | undefined
  readonly parked: ParkedEvent[]
  readonly parkedStreams: Set<string>
  position: Position
  events: number
  writing: Promise<void>
}

export const startBuilding = ({ projection, log, page, signal }: RebuildOptions, client: PoolClient): Building => ({
  projection,
  log,
  client,
  cache: rowCache(projection, CACHE_FACTOR),
  page: page ?? PAGE,
  signal,
  parked: [],
  parkedStreams: new Set(),
  position: START,
  events: 0,
  writing: Promise.resolve(),
})

/**
 * Reads to the end of the log. Three things at once, so that both cores work: the next page is read, this one is folded here, the
 * one before is written. Returns how many events there were.
 */
export const build = async (building: Building, onPage: () => void): Promise<number> => {
  const before = building.events
  let reading = readPage(building, building.position)
  for (let done = false; !done; ) {
    building.signal?.throwIfAborted()
    const page = await reading
    done = page.caughtUp || comparePositions(page.to, building.position) === 0
    if (!done) reading = readPage(building, page.to)
    await applyPage(building, page)
    onPage()
  }
  await building.writing
  return building.events - before
}

export const readPage = (building: Building, after: Position, limit = building.page): Promise<DecodedBatch> => {
  const page = building.log.readAll(comparePositions(after, START) === 0 ? 'start' : after, limit, building.projection.filter)
  page.catch(() => undefined) // awaited in the next round; until then it must not count as unhandled
  return page
}

/** Folds a page and begins to write it; the page before it is in the tables by then. */
export const applyPage = async (building: Building, page: DecodedBatch): Promise<void> => {
  const events = page.events.filter(({ stream }) => !building.parkedStreams.has(stream))
  const rows = await foldOrPark(building, events)
  await building.writing
  rows.keep()
  building.writing = writeNext(building, rows)
  building.writing.catch(() => undefined) // awaited before the next page is written
  building.position = page.to
  building.events += page.events.length
}

const foldOrPark = async (building: Building, events: readonly Recorded[]): Promise<WorkingSet> => {
  const { client: db, cache, projection } = building
  try {
    return await foldBatch(projection, events, { db, generation: 'next', cache, beforeLoad: () => building.writing })
  } catch (error) {
    const event = error instanceof FoldFailed ? events[error.index] : undefined
    if (event === undefined || projection.onPoison === 'stop') throw error
    building.parked.push({ event, error: describe(error).message })
    building.parkedStreams.add(event.stream)
    const rest = events.filter((other) => other.stream !== event.stream || other.revision < event.revision)
    return foldOrPark(building, rest)
  }
}

const writeNext = async ({ client, projection }: Building, rows: WorkingSet): Promise<void> => {
  for (const [n, table] of projection.tables.entries()) {
    const images = [...(rows.written.get(table)?.values() ?? [])]
    const fresh = images.filter(({ row, stored }) => row !== null && stored === false)
    const known = images.filter(({ row, stored }) => row !== null && stored !== false)
    const gone = images.filter(({ row, stored }) => row === null && stored !== false)
    await write(client, table, { name: `i${n}`, sql: insertSql, values: rowValues, images: fresh })
    await write(client, table, { name: `u${n}`, sql: upsertSql, values: rowValues, images: known })
    await write(client, table, { name: `d${n}`, sql: deleteSql, values: keyValues, images: gone })
  }
}

type Write = Readonly<{ name: string; sql: typeof insertSql; values: typeof rowValues; images: readonly Image[] }>

/** Named statements are planned once: all that such an insert plans is the index that finds a conflict. */
const write = async (client: PoolClient, table: AnyTable, { name, sql, values, images }: Write): Promise<void> => {
  if (images.length === 0) return
  const text = sql(table, { generation: 'next', parameters: parameters(), condition: 'true' })
  await client.query({ name: `${name} ${table.name}`, text, values: [...values(table, images)] })
}
