import { getHeapStatistics } from 'node:v8'
import type { DecodedBatch, EventLog, Recorded } from '@tidings/codec'
import { type Position, START } from '@tidings/event-store'
import type { PoolClient } from 'pg'
import { describe, FoldFailed } from '../follow/failure.ts'
import { foldBatch } from '../follow/fold-batch.ts'
import type { ParkedEvent } from '../follow/parking.ts'
import type { AnyProjection } from '../projection.ts'
import { type Image, type Images, rowCache } from '../row-cache.ts'
import { copyRows } from '../sql/copy-rows.ts'
import type { Generation } from '../sql/ddl.ts'
import { addSql, deleteSql, keyValues, parameters, rowValues, upsertSql } from '../sql/write-rows.ts'
import type { AnyTable } from '../table.ts'
import type { WorkingSet } from '../working-set.ts'
import { applyInTransaction, type Careful } from './carefully.ts'
import type { RebuildOptions } from './options.ts'
import { type Part, partPages } from './parts/part-pages.ts'
import { type WriteBehind, writeBehind } from './write-behind.ts'

/**
 * Four pages are in memory at once. Small ones die in the young heap; those of 2 000 were all copied into the old one first. Measured alternately
 * on a busy machine, against 2 000: the process of 100 000 profiles takes 500 MB instead of 770, Node's CPU an event is 31 µs instead of 36 to
 * 41, Postgres' 14 instead of 11.
 */
export const PAGE = 250
/**
 * A rebuild keeps more images than the live owner, so that later events of a row need no read, and no write of their own. Measured where a
 * contact's events lie far apart: with a quarter of these, Postgres' CPU an event is 30 µs instead of 10. They fill a sixteenth of what the
 * heap may grow to, at most what 100 000 profiles take.
 */
export const IMAGES = { aheadBytes: Math.min(160 * 1_048_576, getHeapStatistics().heap_size_limit / 16), stored: 2 }
/** Rows a statement: it is some hundred KB. */
const ROWS_A_WRITE = 1_000

/** A rebuild on its way; `events` counts those that concern the projection. Everything up to `position` is in the next tables after `flush`. */
export type Building = {
  readonly projection: AnyProjection
  readonly log: EventLog
  readonly client: PoolClient
  /** The generation of the tables that it writes. */
  readonly generation: Generation
  readonly behind: WriteBehind
  readonly page: number
  readonly signal: AbortSignal | undefined
  /** Null: all of the log, in its order. */
  readonly part: Part | null
  readonly parked: ParkedEvent[]
  readonly parkedStreams: Set<string>
  /** Writes event by event where it must, and at once: null until Postgres has refused what was written together. */
  careful: Careful | null
  position: Position
  events: number
  writing: Promise<void>
}

export type BuildingStart = Readonly<{ client: PoolClient; carefully: boolean; generation?: Generation; part?: Part }>

export function startBuilding({ projection, log, page, signal }: RebuildOptions, start: BuildingStart): Building {
  const { client, carefully, generation = 'next', part = null } = start
  const limits = { ...IMAGES, ...(part !== null && { aheadBytes: part.aheadBytes }), byStream: part !== null }
  return {
    projection,
    log,
    client,
    generation,
    behind: writeBehind(projection, limits),
    part,
    page: page ?? PAGE,
    signal,
    ...parking({ projection, client, generation }, carefully),
    position: START,
    events: 0,
    writing: Promise.resolve(),
  }
}

/**
 * Reads to the end of the log. Four things at once, so that both cores work: a page is read, the one before it decoded, this one folded, what
 * was folded before is written. Returns how many events there were.
 */
export async function build(building: Building, onPage: () => void): Promise<number> {
  const before = building.events
  const pages = pagesOf(building)[Symbol.asyncIterator]()
  try {
    let coming = nextOf(pages)
    for (let page = await coming; page.done !== true; page = await coming) {
      building.signal?.throwIfAborted()
      coming = nextOf(pages)
      await applyPage(building, page.value)
      onPage()
    }
  } finally {
    void pages.return?.() // it may have to wait for a store that is away
  }
  await flush(building)
  return building.events - before
}

const pagesOf = ({ log, position, page, projection: { filter }, part }: Building): AsyncIterable<DecodedBatch> =>
  part === null ? log.pages(position, page, filter) : partPages(log, { page, filter, part })

const nextOf = (pages: AsyncIterator<DecodedBatch>): Promise<IteratorResult<DecodedBatch>> => {
  const page = pages.next()
  page.catch(() => undefined) // awaited in the next round; until then it must not count as unhandled
  return page
}

type BuildTarget = Readonly<Readonly<{ projection: AnyProjection; client: PoolClient; generation: Generation; part: Part | null }>>

const parking = (
  into: Omit<BuildTarget, 'part'>,
  carefully: boolean,
): Readonly<{ parked: ParkedEvent[]; parkedStreams: Set<string>; careful: Careful | null }> => {
  const noted = { parked: [], parkedStreams: new Set<string>() }
  const write = (rows: Images) => writeNext({ ...into, part: null }, rows)
  return { ...noted, careful: carefully ? { ...noted, ...into, cache: rowCache(into.projection), write } : null }
}

/** Folds a page, and begins to write when there is enough of it. `apply` is how a careful rebuild applies it. */
export async function applyPage(building: Building, page: DecodedBatch, apply = applyInTransaction): Promise<void> {
  if (building.careful === null) await foldPage(building, page)
  else await apply(building.careful, page.events)
  building.position = page.to
  building.events += page.events.length
}

const foldPage = async (building: Building, page: DecodedBatch): Promise<void> => {
  const events = page.events.filter(({ stream }) => !building.parkedStreams.has(stream))
  if (events.length === 0) return
  building.behind.folds(events)
  const rows = await foldOrPark(building, events)
  building.behind.take(rows.written)
  if (building.behind.isFull()) await beginWriting(building)
}

/** Brings the next tables to where the rebuild stands. */
export async function flush(building: Building): Promise<void> {
  await beginWriting(building)
  await building.writing
}

/** Begins to write the next rows, after the write before has ended. */
const beginWriting = async (building: Building): Promise<void> => {
  await building.writing
  building.writing = writeNext(building, building.behind.drain())
  building.writing.catch(() => undefined) // awaited before the next is written or a row is read
}

const foldOrPark = async (building: Building, events: readonly Recorded[]): Promise<WorkingSet> => {
  const { client: db, behind, projection, generation } = building
  try {
    const before = { beforeLoad: () => building.writing, beforeRanges: () => flush(building) }
    return await foldBatch(projection, events, { db, generation, cache: behind.cache, ...before })
  } catch (error) {
    const event = error instanceof FoldFailed ? events[error.index] : undefined
    if (event === undefined || projection.onPoison === 'stop') throw error
    building.parked.push({ event, error: describe(error).message })
    building.parkedStreams.add(event.stream)
    const rest = events.filter((other) => other.stream !== event.stream || other.revision < event.revision)
    return foldOrPark(building, rest)
  }
}

const writeNext = async ({ client, projection, generation, part }: BuildTarget, rows: Images): Promise<void> => {
  for (const [n, table] of projection.tables.entries()) {
    const images = [...(rows.get(table)?.values() ?? [])]
    if (part !== null && table.adds !== undefined) {
      await write(client, table, { generation, name: `a${n}`, sql: addSql, values: rowValues, images })
      continue
    }
    const inserted = images.filter(({ row, stored }) => row !== null && stored === false)
    const known = images.filter(({ row, stored }) => row !== null && stored !== false)
    const gone = images.filter(({ row, stored }) => row === null && stored !== false)
    await copyRows(client, table, { images: inserted, generation })
    await write(client, table, { generation, name: `u${n}`, sql: upsertSql, values: rowValues, images: known })
    await write(client, table, { generation, name: `d${n}`, sql: deleteSql, values: keyValues, images: gone })
  }
}

type Write = Readonly<{ generation: Generation; name: string; sql: typeof upsertSql; values: typeof rowValues; images: readonly Image[] }>

/** Named statements are planned once: all that such an insert plans is the index that finds a conflict. */
const write = async (client: PoolClient, table: AnyTable, { generation, name, sql, values, images }: Write): Promise<void> => {
  const text = sql(table, { generation, parameters: parameters(), condition: 'true' })
  for (let from = 0; from < images.length; from += ROWS_A_WRITE) {
    const some = images.slice(from, from + ROWS_A_WRITE)
    await client.query({ name: `${name} ${generation} ${table.name}`, text, values: [...values(table, some)] })
  }
}
