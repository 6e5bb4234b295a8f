import { setTimeout as sleep } from 'node:timers/promises'
import { comparePositions, type Position } from '@tidings/event-store'
import type { PoolClient } from 'pg'
import { type Checkpoint, readCheckpoint } from '../follow/checkpoint.ts'
import { alone } from '../rebuild/alone.ts'
import { existing } from '../rebuild/beside.ts'
import { readBuilt } from '../rebuild/built.ts'
import { catchUpTo, continueBuilding } from '../rebuild/catch-up.ts'
import type { RebuildOptions } from '../rebuild/options.ts'
import { busy, RebuildRefused } from '../rebuild/refused.ts'
import { compareTables, type TableDiff } from './compare-tables.ts'

/** Live and next tables as both are at `position`. */
export type ProjectionDiff = Readonly<{
  position: Position
  versions: Readonly<{ live: number; next: number }>
  tables: readonly TableDiff[]
}>

/** `first`: how many differing keys of each table are shown. `values`: with what the columns hold, which may be personal. */
export type DiffOptions = RebuildOptions &
  Readonly<{
    first: number
    values: boolean
    /** How long the live tables may take to reach those beside; default 10 000 ms. */
    liveWaitMs?: number
  }>

const POLL_MS = 50

/**
 * Compares the live tables with those that were built beside, key by key, as of one position. One snapshot of the database has the live tables
 * at their checkpoint; in the same transaction the next ones are brought to exactly there. The live ones go on meanwhile.
 */
export async function diffProjection(options: DiffOptions): Promise<ProjectionDiff> {
  const { name } = options.projection
  const diff = await alone(options, async (client) => {
    await existing(options, client, 'next')
    await untilLiveReached(options, client)
    await client.query('begin isolation level repeatable read')
    try {
      const compared = await compare(options, client)
      await client.query('commit')
      return compared
    } catch (error) {
      await client.query('rollback').catch(() => undefined) // a lost session has rolled back by itself
      throw error
    }
  })
  if (diff === null) throw busy(name)
  return diff
}

const compare = async (options: DiffOptions, tx: PoolClient): Promise<ProjectionDiff> => {
  const { projection } = options
  const live = await liveOf(options, tx)
  const built = await existing(options, tx, 'next')
  await catchUpTo(continueBuilding(options, tx, { built, generation: 'next' }), live.position)
  const tables = []
  for (const table of projection.tables) {
    options.signal?.throwIfAborted()
    tables.push(await compareTables(tx, table, options))
  }
  return { position: live.position, versions: { live: live.version, next: built.version }, tables }
}

const liveOf = async ({ projection: { name } }: DiffOptions, client: PoolClient): Promise<Checkpoint> => {
  const live = await readCheckpoint(client, name)
  if (live === null) throw new RebuildRefused(`Projection ${name} has no live tables yet: start the service.`)
  return live
}

const untilLiveReached = async (options: DiffOptions, client: PoolClient): Promise<void> => {
  const { name } = options.projection
  for (const deadline = performance.now() + (options.liveWaitMs ?? 10_000); ; await sleep(POLL_MS)) {
    const [live, built] = [await liveOf(options, client), await readBuilt(client, name, 'next')]
    if (built === null || comparePositions(live.position, built.position) >= 0) return
    if (performance.now() > deadline)
      throw new RebuildRefused(
        `The live tables of ${name} are behind those built beside them: start the service, so that they catch up, and repeat this.`,
      )
  }
}
