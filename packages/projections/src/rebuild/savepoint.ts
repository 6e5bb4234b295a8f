import { rowCache } from '../row-cache.ts'
import type { Building } from './build.ts'

/** How far a rebuild is at a moment when all that it knows is in its tables. */
export type Savepoint = Readonly<{ position: Building['position']; events: number; parked: number }>

export function savepoint({ position, events, parked }: Building): Savepoint {
  return { position, events, parked: parked.length }
}

/**
 * Sets the rebuild back to the savepoint after a rollback of its tables. The tables may no longer hold the rows whose images are in memory, so
 * all images are dropped.
 */
export function goBack(building: Building, { position, events, parked }: Savepoint): void {
  building.position = position
  building.events = events
  building.writing = Promise.resolve()
  building.behind.forget()
  if (building.careful !== null) building.careful = { ...building.careful, cache: rowCache(building.projection) }
  for (const { event } of building.parked.splice(parked)) building.parkedStreams.delete(event.stream)
}
