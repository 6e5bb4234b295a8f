import { setTimeout as sleep } from 'node:timers/promises'
import { comparePositions } from '@tidings/event-store'
import { giveGrants, readGrants } from '@tidings/postgres'
import type { PoolClient } from 'pg'
import { readCheckpoint } from '../follow/checkpoint.ts'
import { replaceParked } from '../follow/parking.ts'
import type { AnyProjection } from '../projection.ts'
import { rowCache } from '../row-cache.ts'
import { CHANNEL } from '../sql/commit-batch.ts'
import { type Generation, plainName, tableName } from '../sql/ddl.ts'
import { applyPage, type Building, flush } from './build.ts'
import { forgetBuilt } from './built.ts'
import { applyCarefully } from './carefully.ts'
import { isThere, renameNextTables } from './next-tables.ts'
import type { RebuildOptions } from './options.ts'

/** Readers wait while the tables are locked: at most this many events may be left to apply under the lock. */
const LAST_EVENTS = 2_000
const LOCK_TIMEOUT = '2s'
const RETRY_MS = 200
/** A lock that was not given in time; a deadlock with a reader that asked for the same tables in another order. */
const LOCKED = new Set<unknown>(['55P03', '40P01'])

/** Puts the tables that were built, and what is parked for them, in the place of the live ones; the checkpoint is still that of these. */
export type Exchange = (tx: PoolClient, building: Building) => Promise<void>

const dropLive: Exchange = async (tx, { projection, parked }) => {
  await forgetBuilt(tx, projection.name, 'next')
  await renameNextTables(tx, projection)
  await replaceParked(tx, projection.name, parked)
}

/**
 * One transaction: locks all that it will touch, applies what the live projector had over us, renames the tables, moves the checkpoint and
 * raises its epoch, so that the live owner's next statement writes nothing and it starts again on the new tables.
 * Returns false when there was too much left to apply, or a session had a lock for too long: build on, then try again.
 */
export async function swap(options: RebuildOptions, building: Building, exchange: Exchange = dropLive): Promise<boolean> {
  const { client } = building
  const before = savepoint(building)
  await client.query('begin')
  try {
    await client.query(`set local lock_timeout = '${LOCK_TIMEOUT}'; set local synchronous_commit = on`)
    await lockEverything(client, options.projection, building.generation)
    if (!(await catchUp(building))) {
      await client.query('rollback')
      return false
    }
    // An operator has given others rights on the live tables: they are rights on what serves, and not on what served.
    const live = options.projection.tables.map((table) => plainName(table, 'live'))
    const grants = await readGrants(client, 'read', live)
    await exchange(client, building)
    await giveGrants(client, 'read', grants)
    await moveCheckpoint(client, building)
    await client.query('commit')
    return true
  } catch (error) {
    await client.query('rollback')
    if (!LOCKED.has((error as { code?: unknown }).code)) throw error
    goBack(building, before)
    await sleep(RETRY_MS)
    return false
  }
}

/**
 * Takes the locks before anything is applied, so that a session that has one of them for long costs no work and readers wait little. The live
 * tables come first: a projector's statement locks its tables before it waits for the checkpoint's row, and the other order would deadlock.
 */
const lockEverything = async (tx: PoolClient, { name, tables }: AnyProjection, generation: Generation): Promise<void> => {
  for (const table of tables) {
    if (await isThere(tx, tableName(table, 'live'))) await tx.query(`lock table ${tableName(table, 'live')} in access exclusive mode`)
  }
  for (const table of tables) await tx.query(`lock table ${tableName(table, generation)} in access exclusive mode`)
  for (const rows of ['projection_checkpoint', 'projection_lease', 'parked_stream'])
    await tx.query(`select 1 from ops.${rows} where projection = $1 for update`, [name])
}

/** Catches up to where the live tables are, so that no reader sees less after the swap than before it. */
const catchUp = async (building: Building): Promise<boolean> => {
  const live = await readCheckpoint(building.client, building.projection.name, true)
  if (live === null || comparePositions(building.position, live.position) >= 0) return true
  const page = await building.log.readAll(building.position, LAST_EVENTS, building.projection.filter)
  // Nothing more to read: the live tables are ahead of the log, which must have been restored from an older copy. The log is right.
  if (comparePositions(page.to, building.position) === 0) return true
  if (comparePositions(page.to, live.position) < 0) return false
  await applyPage(building, page, applyCarefully)
  await flush(building)
  return true
}

/** The lease is released too: a process of this version may take it at once. */
const moveCheckpoint = async (tx: PoolClient, { projection, position }: Building): Promise<void> => {
  const { rows } = await tx.query<{ epoch: bigint }>(
    `insert into ops.projection_lease as l (projection, owner, epoch, expires_at) values ($1, gen_random_uuid()::text, 1, clock_timestamp())
     on conflict (projection) do update set epoch = l.epoch + 1, expires_at = excluded.expires_at returning epoch`,
    [projection.name],
  )
  await tx.query(
    `insert into ops.projection_checkpoint (projection, version, epoch, position_commit, position_prepare) values ($1, $2, $3, $4, $5)
     on conflict (projection) do update set version = excluded.version, epoch = excluded.epoch, updated_at = now(),
       position_commit = excluded.position_commit, position_prepare = excluded.position_prepare`,
    [projection.name, projection.version, rows[0]?.epoch, position.commit, position.prepare],
  )
  // No reader knows the new epoch yet: a process that hears this looks at the checkpoint.
  await tx.query('select pg_notify($1, $2)', [CHANNEL, `${projection.name} ${position.commit} ${position.prepare}`])
}

/** How far a rebuild is at a moment when all that it knows is in its tables. */
type Savepoint = Readonly<{ position: Building['position']; events: number; parked: number }>

function savepoint({ position, events, parked }: Building): Savepoint {
  return { position, events, parked: parked.length }
}

/**
 * Sets the rebuild back to the savepoint after a rollback of its tables. The tables may no longer hold the rows whose images are in memory, so
 * all images are dropped.
 */
function goBack(building: Building, { position, events, parked }: Savepoint): void {
  building.position = position
  building.events = events
  building.writing = Promise.resolve()
  building.behind.forget()
  if (building.careful !== null) building.careful = { ...building.careful, cache: rowCache(building.projection) }
  for (const { event } of building.parked.splice(parked)) building.parkedStreams.delete(event.stream)
}
