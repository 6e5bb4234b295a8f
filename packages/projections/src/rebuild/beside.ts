import { comparePositions, type Position } from '@tidings/event-store'
import type { PoolClient } from 'pg'
import { readCheckpoint } from '../follow/checkpoint.ts'
import type { AnyProjection } from '../projection.ts'
import { alone } from './alone.ts'
import { type Beside, type Built, dropBuilt, forgetBuilt, isOfTables, readBuilt, restoreParked, saveNext, savePrevious } from './built.ts'
import { type Continued, catchUpWithLog, continueBuilding } from './catch-up.ts'
import { renameTables } from './next-tables.ts'
import type { RebuildOptions } from './options.ts'
import { buildNext, type Rebuilt } from './rebuild.ts'
import { busy, RebuildRefused } from './refused.ts'
import { type Exchange, swap } from './swap.ts'

/** How long the tables that a swap took out can be brought back. */
const KEEP_HOURS = 24

/** How long tables that were built beside can be compared and swapped in. */
const KEEP_DAYS = 7

/**
 * Builds the projection anew beside the live tables, and leaves it there to be compared and swapped in. Resolves when it has reached the end
 * of the log; from then on it is brought up to date when it is needed. Tables that were built beside before are dropped. Killed, it leaves the
 * live tables untouched; run it again.
 */
export async function rebuildBeside(options: RebuildOptions): Promise<Rebuilt> {
  const { projection } = options
  const built = await alone(options, (client) =>
    buildNext(options, client, async (building) => {
      const { position, parked } = building
      await saveNext(client, projection.name, { position, parked, keepDays: KEEP_DAYS })
      return true
    }),
  )
  if (built === null) throw busy(projection.name)
  return built
}

export type Swapped = Readonly<{ position: Position; version: number; parked: number }>

/** Puts the tables that were built beside in the place of the live ones, which are kept for a day. Resolves when they serve. */
export async function swapNext(options: RebuildOptions): Promise<Swapped> {
  const { name } = options.projection
  const swapped = await alone(options, async (client) => {
    const built = await existing(options, client, 'next')
    await assertNotOlder(options, client)
    return await swapBuilt(options, client, { built, generation: 'next' })
  })
  if (swapped === null) throw busy(name)
  return swapped
}

/**
 * Brings back the tables that a swap took out, with everything that was appended since; those that served until now are kept for a day. Resolves
 * when they serve.
 */
export async function swapBack(options: RebuildOptions): Promise<Swapped> {
  const { name } = options.projection
  const swapped = await alone(options, async (client) => {
    const built = await existing(options, client, 'previous')
    return await swapBuilt(options, client, { built, generation: 'previous' })
  })
  if (swapped === null) throw busy(name)
  return swapped
}

const MISSING = {
  next: (name: string) => `No tables of ${name} are built beside the live ones: run \`tidings projection rebuild ${name} --beside\` first.`,
  previous: (name: string) =>
    `There is nothing to swap back: the tables that a swap of ${name} takes out are kept for ${KEEP_HOURS} hours.`,
} as const

/** Throws `RebuildRefused` where the tables are not there, or not those of this program. */
export async function existing(
  { projection }: Readonly<{ projection: AnyProjection }>,
  client: PoolClient,
  generation: Beside,
): Promise<Built> {
  const { name, version } = projection
  const built = await readBuilt(client, name, generation)
  if (built === null || built.expired) throw new RebuildRefused(MISSING[generation](name))
  if (built.version !== version)
    throw new RebuildRefused(
      `Those tables of ${name} are of version ${built.version}, and this program writes version ${version}: run the command with the program that built them.`,
    )
  if (!isOfTables(built, projection, generation))
    throw new RebuildRefused(
      `Those tables of ${name} are not the ones that this program keeps: run \`tidings projection rebuild ${name}\` with this program.`,
    )
  return built
}

/** A program of before an upgrade must not take the upgrade back by accident. */
const assertNotOlder = async ({ projection: { name, version } }: RebuildOptions, client: PoolClient): Promise<void> => {
  const live = await readCheckpoint(client, name)
  if (live !== null && live.version > version)
    throw new RebuildRefused(
      `The live tables of ${name} are of version ${live.version}, newer than this program's ${version}: use the newer program.`,
    )
}

type BuiltGeneration = Readonly<{ built: Built; generation: Beside }>

/** Brings the tables up to date and puts them in the place of the live ones, under the lock of `alone`. */
export async function swapBuilt(options: RebuildOptions, client: PoolClient, from: BuiltGeneration): Promise<Swapped> {
  const { projection, log } = options
  const head = await log.head()
  if (comparePositions(from.built.position, head) > 0)
    throw new RebuildRefused(`The log ends before those tables of ${projection.name}: it was set back. Rebuild the projection.`)
  const building = continueBuilding(options, client, from)
  const exchange = from.generation === 'next' ? putNext : putPrevious
  do await catchUpWithLog(building, () => reportTo(options, building, head))
  while (!(await swap(options, building, exchange)))
  return { position: building.position, version: projection.version, parked: building.parkedStreams.size }
}

const reportTo = ({ projection, onProgress }: RebuildOptions, { position, events }: Continued, head: Position): void =>
  onProgress?.({ projection: projection.name, position, head, events, seconds: 0 })

const putNext: Exchange = async (tx, { projection, parked }) => {
  const { name } = projection
  const before = (await readBuilt(tx, name, 'next'))?.parked ?? []
  await dropBuilt(tx, projection, 'previous')
  await forgetBuilt(tx, name, 'next')
  const tables = await renameTables(tx, projection, { from: 'live', to: 'previous' })
  await savePrevious(tx, name, { tables, hours: KEEP_HOURS })
  await renameTables(tx, projection, { from: 'next', to: 'live' })
  await restoreParked(tx, name, before, parked)
}

const putPrevious: Exchange = async (tx, { projection, parked }) => {
  const { name } = projection
  const before = (await readBuilt(tx, name, 'previous'))?.parked ?? []
  await forgetBuilt(tx, name, 'previous')
  await renameTables(tx, projection, { from: 'live', to: 'aside' })
  await renameTables(tx, projection, { from: 'previous', to: 'live' })
  const tables = await renameTables(tx, projection, { from: 'aside', to: 'previous' })
  await savePrevious(tx, name, { tables, hours: KEEP_HOURS })
  await restoreParked(tx, name, before, parked)
}
