import type { DecodedBatch } from '@tidings/codec'
import { comparePositions, type Position } from '@tidings/event-store'
import type { PoolClient } from 'pg'
import { applyPage, type Building, flush, startBuilding } from './build.ts'
import { type Beside, type Built, saveReached } from './built.ts'
import { applyCarefully } from './carefully.ts'
import type { RebuildOptions } from './options.ts'
import { RebuildRefused } from './refused.ts'

/** A build that goes on where the tables beside the live ones are. */
export type Continued = Building & Readonly<{ generation: Beside }>

/** `client` has the lock of `alone`. A stream that the tables could not apply stays parked. */
export function continueBuilding(
  options: RebuildOptions,
  client: PoolClient,
  from: Readonly<{ built: Built; generation: Beside }>,
): Continued {
  const { built, generation } = from
  // Late and many together is for whole logs: here a refused row must be found within the transaction that it is refused in.
  const building = startBuilding(options, { client, generation, carefully: options.projection.onPoison !== 'stop' })
  for (const { stream } of built.parked) building.parkedStreams.add(stream)
  building.position = built.position
  return { ...building, generation }
}

/** Applies a page and says in the same transaction how far the tables are. The caller holds the transaction. */
const applyAndSave = async (building: Continued, page: DecodedBatch): Promise<void> => {
  const before = building.parked.length
  await applyPage(building, page, applyCarefully)
  await flush(building)
  const { position, generation, projection } = building
  await saveReached(building.client, projection.name, { position, generation, parked: building.parked.slice(before) })
}

/** Catches up to the end of the log, a transaction a page: after a kill, the next call continues from the last page. */
export async function catchUpWithLog(building: Continued, onPage: () => void): Promise<void> {
  const { client, log, projection, page, signal } = building
  for await (const read of log.pages(building.position, page, projection.filter)) {
    signal?.throwIfAborted()
    await client.query('begin')
    try {
      await applyAndSave(building, read)
      await client.query('commit')
    } catch (error) {
      await client.query('rollback').catch(() => undefined) // a lost session has rolled back by itself
      throw error
    }
    onPage()
  }
}

/** Catches up to exactly `to`, in the caller's transaction. */
export async function catchUpTo(building: Continued, to: Position): Promise<void> {
  const { log, projection, page, signal } = building
  if (comparePositions(building.position, to) >= 0) return
  for await (const read of log.pages(building.position, page, projection.filter)) {
    signal?.throwIfAborted()
    const isEnough = comparePositions(read.to, to) >= 0
    const events = isEnough ? read.events.filter(({ position }) => comparePositions(position, to) <= 0) : read.events
    await applyAndSave(building, { events, to: isEnough ? to : read.to, caughtUp: read.caughtUp })
    if (isEnough) return
  }
  throw new RebuildRefused(`The log ends before the live tables of ${projection.name}: it was set back. Rebuild the projection.`)
}
