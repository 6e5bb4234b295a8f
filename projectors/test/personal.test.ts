import { createEventLog, type EventLog, memoryKeyRing, upcasters } from '@tidings/codec'
import { eventDeclarations } from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import type { AnyProjection } from '@tidings/projections'
import { foldAll } from '@tidings/projections/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { projections } from '../src/index.ts'
import { histories } from './histories.ts'
import { write } from './log.ts'

/** The rows of all that happened, as the projection gets it: with every personal field, or with those alone that it says it looks at. */
const rowsOf = async (projection: AnyProjection, log: EventLog, all: boolean) => {
  const { types = [], personal = types } = projection.filter
  const { events } = await log.readAll('start', 10_000, { types, personal: all ? types : personal })
  return foldAll(projection, events)
}

test('no projection looks at a personal field of a type that it does not name', async () => {
  await fc.assert(
    fc.asyncProperty(histories, async (steps) => {
      const parts = { store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing: memoryKeyRing() }
      await write(createEventLog(parts), steps)
      // Another process: the one that wrote still knows what it wrote.
      const log = createEventLog(parts)
      for (const projection of projections)
        expect(await rowsOf(projection, log, false), projection.name).toEqual(await rowsOf(projection, log, true))
      await log.close()
    }),
    { numRuns: 30 },
  )
})
