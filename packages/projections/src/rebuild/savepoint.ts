import { rowCache } from '../row-cache.ts'
import type { Building } from './build.ts'

/** How far a rebuild is at a moment when all that it knows is in its tables. */
export type Savepoint = Readonly<{ position: Building['position']; events: number; parked: number }>

export function savepoint({ position, events, parked }: Building): Savepoint {
  return { position, events, parked: parked.length }
}

/**
 * After a rollback: the rebuild is again where it was at the savepoint, as its tables are. The images in memory may be of rows that the
 * tables do not hold any more, so all of them go.
 */
export function goBack(building: Building, { position, events, parked }: Savepoint): void {
  building.position = position
  building.events = events
  building.writing = Promise.resolve()
  building.behind.forget()
  if (building.careful !== null) building.careful = { ...building.careful, cache: rowCache(building.projection) }
  for (const { event } of building.parked.splice(parked)) building.parkedStreams.delete(event.stream)
}
