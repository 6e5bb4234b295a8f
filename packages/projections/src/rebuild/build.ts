import type { DecodedBatch, EventLog, Recorded } from '@tidings/codec'
import { comparePositions, type Position, START } from '@tidings/event-store'
import type { PoolClient } from 'pg'
import { describe, FoldFailed } from '../follow/failure.ts'
import { foldBatch } from '../follow/fold-batch.ts'
import type { ParkedEvent } from '../follow/parking.ts'
import type { AnyProjection } from '../projection.ts'
import { copyRows } from '../sql/copy-rows.ts'
import { deleteSql, keyValues, parameters, rowValues, upsertSql } from '../sql/write-rows.ts'
import type { AnyTable } from '../table.ts'
import type { Image, Images, WorkingSet } from '../working-set.ts'
import type { RebuildOptions } from './rebuild.ts'
import { type WriteBehind, writeBehind } from './write-behind.ts'

const PAGE = 2_000
/**
 * A rebuild keeps more images than the live owner, so that later events of a row need no read, and no write of their own: 50 000 profiles
 * ahead of their table are 60 MB. Measured where a contact's events lie far apart: Postgres' CPU an event falls from 30 to 10 µs.
 */
const IMAGES = { ahead: 10, stored: 2 }
/** Rows a statement: it is some hundred KB. */
const ROWS_A_WRITE = 1_000

/** A rebuild on its way; `events` counts those that concern the projection. Everything up to `position` is in the next tables after `flush`. */
export type Building = {
  readonly projection: AnyProjection
  readonly log: EventLog
  readonly client: PoolClient
  readonly behind: WriteBehind
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
  behind: writeBehind(projection, IMAGES),
  page: page ?? PAGE,
  signal,
  parked: [],
  parkedStreams: new Set(),
  position: START,
  events: 0,
  writing: Promise.resolve(),
})

/**
 * Reads to the end of the log. Three things at once, so that both cores work: the next page is read, this one is folded here, what
 * was folded before is written. Returns how many events there were.
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
  await flush(building)
  return building.events - before
}

export const readPage = (building: Building, after: Position, limit = building.page): Promise<DecodedBatch> => {
  const page = building.log.readAll(comparePositions(after, START) === 0 ? 'start' : after, limit, building.projection.filter)
  page.catch(() => undefined) // awaited in the next round; until then it must not count as unhandled
  return page
}

/** Folds a page, and begins to write when there is enough of it. */
export const applyPage = async (building: Building, page: DecodedBatch): Promise<void> => {
  const events = page.events.filter(({ stream }) => !building.parkedStreams.has(stream))
  const rows = await foldOrPark(building, events)
  building.behind.take(rows.written)
  if (building.behind.isFull()) await beginWriting(building)
  building.position = page.to
  building.events += page.events.length
}

/** Brings the next tables to where the rebuild stands. */
export const flush = async (building: Building): Promise<void> => {
  await beginWriting(building)
  await building.writing
}

/** What was begun before is in the tables by then. */
const beginWriting = async (building: Building): Promise<void> => {
  await building.writing
  building.writing = writeNext(building, building.behind.drain())
  building.writing.catch(() => undefined) // awaited before the next is written or a row is read
}

const foldOrPark = async (building: Building, events: readonly Recorded[]): Promise<WorkingSet> => {
  const { client: db, behind, projection } = building
  try {
    return await foldBatch(projection, events, { db, generation: 'next', cache: behind.cache, beforeLoad: () => building.writing })
  } catch (error) {
    const event = error instanceof FoldFailed ? events[error.index] : undefined
    if (event === undefined || projection.onPoison === 'stop') throw error
    building.parked.push({ event, error: describe(error).message })
    building.parkedStreams.add(event.stream)
    const rest = events.filter((other) => other.stream !== event.stream || other.revision < event.revision)
    return foldOrPark(building, rest)
  }
}

const writeNext = async ({ client, projection }: Building, rows: Images): Promise<void> => {
  for (const [n, table] of projection.tables.entries()) {
    const images = [...(rows.get(table)?.values() ?? [])]
    const fresh = images.filter(({ row, stored }) => row !== null && stored === false)
    const known = images.filter(({ row, stored }) => row !== null && stored !== false)
    const gone = images.filter(({ row, stored }) => row === null && stored !== false)
    await copyRows(client, table, { images: fresh, generation: 'next' })
    await write(client, table, { name: `u${n}`, sql: upsertSql, values: rowValues, images: known })
    await write(client, table, { name: `d${n}`, sql: deleteSql, values: keyValues, images: gone })
  }
}

type Write = Readonly<{ name: string; sql: typeof upsertSql; values: typeof rowValues; images: readonly Image[] }>

/** Named statements are planned once: all that such an insert plans is the index that finds a conflict. */
const write = async (client: PoolClient, table: AnyTable, { name, sql, values, images }: Write): Promise<void> => {
  const text = sql(table, { generation: 'next', parameters: parameters(), condition: 'true' })
  for (let from = 0; from < images.length; from += ROWS_A_WRITE) {
    const some = images.slice(from, from + ROWS_A_WRITE)
    await client.query({ name: `${name} ${table.name}`, text, values: [...values(table, some)] })
  }
}
