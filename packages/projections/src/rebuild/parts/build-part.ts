import type { EventLog } from '@tidings/codec'
import type { Pool } from 'pg'
import type { AnyProjection } from '../../projection.ts'
import { build, startBuilding } from '../build.ts'
import { RebuildRefused } from '../refused.ts'
import type { PartBuilt, PartOrder, PartReached } from './thread-messages.ts'
import { becomeWriter } from './writers.ts'

type PartParts = Readonly<{ projection: AnyProjection; log: EventLog; pool: Pool; onPage: (reached: PartReached) => void }>

/** Writes a part of the streams to the next tables, which another session has made and keeps. What its folds refuse is parked. */
export async function buildPart({ projection, log, pool, onPage }: PartParts, { attempt, part, page }: PartOrder): Promise<PartBuilt> {
  const client = await pool.connect()
  try {
    await client.query('set synchronous_commit = off')
    if ((await becomeWriter(client, projection.name)) !== attempt)
      throw new RebuildRefused(`The rebuild of ${projection.name} that this thread was started for is over.`)
    const building = startBuilding({ projection, log, pool, page }, { client, carefully: false, part })
    await build(building, () => onPage({ position: building.position, events: building.events }))
    const { position, events, parked } = building
    return { position, events, parked }
  } finally {
    client.release(true)
  }
}
