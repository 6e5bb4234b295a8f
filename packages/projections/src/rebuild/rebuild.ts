import type { Position } from '@tidings/event-store'
import type { PoolClient } from 'pg'
import { judge } from '../follow/failure.ts'
import { alone } from './alone.ts'
import { type Building, build, startBuilding } from './build.ts'
import { dropBuilt, noteBegun } from './built.ts'
import { createNextIndices, createNextTables } from './next-tables.ts'
import type { RebuildOptions } from './options.ts'
import { buildByStream } from './parts/build-by-stream.ts'
import type { PartReached } from './parts/thread-messages.ts'
import { withoutWriters } from './parts/writers.ts'
import { busy } from './refused.ts'
import { swap } from './swap.ts'

export type Rebuilt = Readonly<{ events: number; seconds: number; parked: number; position: Position }>

/**
 * Builds the projection anew from the first event, beside the live tables, and swaps it in together with its checkpoint in one
 * transaction. Resolves when the new tables serve. Cancelled, failed or killed, it leaves the live tables untouched; run it again.
 * Events that the folds or Postgres refuse park their streams, as they do live; any other failure ends the rebuild.
 */
export async function rebuild(options: RebuildOptions): Promise<Rebuilt> {
  const rebuilt = await alone(options, (client) => buildAndSwap(options, client))
  if (rebuilt === null) throw busy(options.projection.name)
  return rebuilt
}

/** Rebuilds under the lock of `alone`. */
export async function buildAndSwap(options: RebuildOptions, client: PoolClient): Promise<Rebuilt> {
  return await buildNext(options, client, (building) => swap(options, building))
}

/** What is done with the next tables when they hold the log; false: build on to its end, then try again. */
type Finish = (building: Building) => Promise<boolean>

/** Builds the next tables with the lock of `alone`. A failure drops them. */
export async function buildNext(options: RebuildOptions, client: PoolClient, finish: Finish): Promise<Rebuilt> {
  await client.query(`set synchronous_commit = off; set maintenance_work_mem = '128MB'`)
  const attempt: Attempt = { client, started: performance.now(), carefully: false, finish }
  try {
    return await tryToBuild(options, attempt)
  } catch (error) {
    if (judge(error) !== 'poison' || options.projection.onPoison === 'stop') throw error
    // Rows are written late and many together, and unique indices come last: whose they are that Postgres refused is not known any more.
    return await tryToBuild(options, { ...attempt, carefully: true })
  }
}

type Attempt = Readonly<{ client: PoolClient; started: number; carefully: boolean; finish: Finish }>

const tryToBuild = async (options: RebuildOptions, { client, started, carefully, finish }: Attempt): Promise<Rebuilt> => {
  const { projection } = options
  await withoutWriters(client, projection.name, async () => {
    await dropBuilt(client, projection, 'next')
    await noteBegun(client, projection)
  })
  await createNextTables(client, projection)
  if (carefully) await createNextIndices(client, projection)
  const building = startBuilding(options, { client, carefully })
  try {
    await report(options, building, { carefully, started })
    if (!carefully) await createNextIndices(client, projection)
    while (!(await finish(building))) await build(building, () => undefined)
  } catch (error) {
    // A lost session; the retention task drops them.
    await withoutWriters(client, projection.name, () => dropBuilt(client, projection, 'next')).catch(() => undefined)
    throw error
  }
  const { events, parked, position } = building
  return { events, seconds: (performance.now() - started) / 1_000, parked: parked.length, position }
}

type Manner = Readonly<{ carefully: boolean; started: number }>

/** Builds to the end of the log: stream by stream if possible, and later events in the order of the log. */
const report = async (options: RebuildOptions, building: Building, { carefully, started }: Manner): Promise<void> => {
  const { projection, log, onProgress } = options
  const head = await log.head()
  const say = ({ position, events }: PartReached): void =>
    onProgress?.({ projection: projection.name, position, head, events, seconds: (performance.now() - started) / 1_000 })
  if (!carefully) await buildByStream(options, building, say)
  await build(building, () => say(building))
}
