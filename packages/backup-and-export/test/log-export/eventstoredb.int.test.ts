import { createEventLog, memoryKeyRing } from '@tidings/codec'
import { parsePosition } from '@tidings/event-store'
import { eventStoreDbStore } from '@tidings/event-store/eventstoredb'
import { PATIENT_TIMES, startEventStoreProcess } from '@tidings/testing/eventstoredb'
import { expect, test } from 'vitest'
import { ACME, declarations, linesOf, openWorld } from './notes.ts'

test('a log in EventStoreDB is exported, filtered here, and goes on behind a position of two numbers', async () => {
  const [world, server] = [await openWorld(), await startEventStoreProcess()]
  const store = eventStoreDbStore({ connectionString: server.connectionString, times: PATIENT_TIMES })
  const log = createEventLog({ store, declarations, upcasters: [], keyRing: memoryKeyRing() })
  const append = (n: number, type: 'NoteTaken' | 'DayEnded') => {
    const context = { commandId: `c${n}`, workspaceId: ACME, actor: 'test', requestId: 'test', at: '2026-01-01T00:00:00.000Z' }
    return log.append(`note-${n}`, 'any', [{ type, data: { person: 'ann', text: `note ${n}`, n } }], context)
  }
  try {
    for (const n of [1, 2, 3]) await append(n, n === 2 ? 'DayEnded' : 'NoteTaken')
    const notes = { types: ['NoteTaken'], workspaceId: ACME }
    const first = await world.export(world.newFile(), notes, { store, log })
    await append(4, 'NoteTaken')
    const second = await world.export(world.newFile(), { ...notes, from: parsePosition(first.to ?? '') }, { store, log })
    const lines = [...(await linesOf(first.file)), ...(await linesOf(second.file))]
    expect(lines.map(({ data }) => data.n)).toEqual([1, 3, 4])
    const positions = lines.map(({ position }) => position)
    expect(positions).toEqual(positions.toSorted())
    expect(positions.every((position) => /^\d{20}-\d{20}$/.test(position))).toBe(true)
  } finally {
    await store.close()
    await server.stop()
    await world.close()
  }
})
