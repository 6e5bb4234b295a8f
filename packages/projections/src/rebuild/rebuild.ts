import type { Position } from '@tidings/event-store'
import type { PoolClient } from 'pg'
import { readCheckpoint } from '../follow/checkpoint.ts'
import { judge } from '../follow/failure.ts'
import { type Building, build, startBuilding } from './build.ts'
import { createNextIndices, createNextTables, dropNextTables } from './next-tables.ts'
import type { RebuildOptions } from './options.ts'
import { swap } from './swap.ts'

export type Rebuilt = Readonly<{ events: number; seconds: number; parked: number; position: Position }>

export class RebuildRefused extends Error {
  override readonly name = 'RebuildRefused'
}

/**
 * Builds the projection anew from the first event, beside the live tables, and swaps it in together with its checkpoint in one
 * transaction. Resolves when the new tables serve. Cancelled, failed or killed, it leaves the live tables untouched; run it again.
 * Events that the folds or Postgres refuse park their streams, as they do live; any other failure ends the rebuild.
 */
export async function rebuild(options: RebuildOptions): Promise<Rebuilt> {
  const rebuilt = await alone(options, (client) => buildAndSwap(options, client))
  if (rebuilt === null) throw new RebuildRefused(`Projection ${options.projection.name} is being rebuilt already.`)
  return rebuilt
}

/**
 * Builds the tables of this version where they are those of an older one. One process does, of however many start with it: false while
 * another is at it.
 */
export async function buildVersion({ onStart, ...options }: RebuildOptions & Readonly<{ onStart: () => void }>): Promise<boolean> {
  const { projection } = options
  const done = await alone(options, async (client) => {
    const stored = await readCheckpoint(client, projection.name)
    if (stored !== null && stored.version >= projection.version) return true
    onStart()
    await buildAndSwap(options, client)
    return true
  })
  return done === true
}

/** Runs `work` while no other process rebuilds the projection; null when one does. */
const alone = async <Result>(
  { pool, projection }: RebuildOptions,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result | null> => {
  const client = await pool.connect()
  // A lost connection also shows as a rejected query; without a listener it would end the process.
  const ignore = () => undefined
  client.on('error', ignore)
  // Only where the lock was not to be had is the session as it was: processes that wait for a rebuild ask twice a second.
  let used = true
  try {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock(hashtextextended($1, 0)) as taken', [
      `rebuild ${projection.name}`,
    ])
    used = rows[0]?.taken === true
    return used ? await work(client) : null
  } finally {
    if (used) await client.query('select pg_advisory_unlock_all()').catch(() => undefined) // a lost session has lost its locks too
    client.off('error', ignore)
    client.release(used)
  }
}

const buildAndSwap = async (options: RebuildOptions, client: PoolClient): Promise<Rebuilt> => {
  await client.query(`set synchronous_commit = off; set maintenance_work_mem = '128MB'`)
  const attempt: Attempt = { client, started: performance.now(), carefully: false }
  try {
    return await tryToBuild(options, attempt)
  } catch (error) {
    if (judge(error) !== 'poison' || options.projection.onPoison === 'stop') throw error
    // Rows are written late and many together, and unique indices come last: whose they are that Postgres refused is not known any more.
    return await tryToBuild(options, { ...attempt, carefully: true })
  }
}

type Attempt = Readonly<{ client: PoolClient; started: number; carefully: boolean }>

const tryToBuild = async (options: RebuildOptions, { client, started, carefully }: Attempt): Promise<Rebuilt> => {
  const { projection } = options
  await dropNextTables(client, projection)
  await createNextTables(client, projection)
  if (carefully) await createNextIndices(client, projection)
  const building = startBuilding(options, client, carefully)
  try {
    await report(options, building, started)
    if (!carefully) await createNextIndices(client, projection)
    while (!(await swap(options, building))) await build(building, () => undefined)
  } catch (error) {
    await dropNextTables(client, projection).catch(() => undefined) // the next rebuild drops them first
    throw error
  }
  const { events, parked, position } = building
  return { events, seconds: (performance.now() - started) / 1_000, parked: parked.length, position }
}

const report = async ({ projection, log, onProgress }: RebuildOptions, building: Building, started: number): Promise<void> => {
  const head = await log.head()
  await build(building, () => {
    const { position, events } = building
    onProgress?.({ projection: projection.name, position, head, events, seconds: (performance.now() - started) / 1_000 })
  })
}
