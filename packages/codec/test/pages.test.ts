import { asWorkspaceId, eventDeclarations } from '@tidings/domain'
import type { EventStore } from '@tidings/event-store'
import { memoryEventStore } from '@tidings/event-store/memory'
import { expect, test } from 'vitest'
import { CorruptEvent } from '../src/errors.ts'
import type { DecodedBatch, EventLog } from '../src/event-log.ts'
import { uuidv7 } from '../src/ids.ts'
import { memoryKeyRing } from '../src/keys/memory-key-store.ts'
import { createEventLog } from '../src/typed-event-log.ts'
import { upcasters } from '../src/upcast/upcasters.ts'

const over = (store: EventStore): EventLog =>
  createEventLog({
    store,
    declarations: eventDeclarations,
    upcasters,
    keyRing: memoryKeyRing(),
    memo: { maxEvents: 0, maxBytes: 0, maxAgeMs: 1 },
  })

const write = async (log: EventLog, count: number): Promise<void> => {
  for (let n = 0; n < count; n++) {
    const context = {
      commandId: uuidv7(),
      workspaceId: asWorkspaceId(uuidv7()),
      actor: 'test',
      requestId: 'test',
      at: '2026-01-01T00:00:00.000Z',
    }
    const email = { type: 'ContactEmailChanged', data: { contactId: `c${n}`, email: `${n}@example.com`, claimId: null } } as const
    await log.append(`contact-${n}`, 'no_stream', [email], context)
  }
}

const take = async (pages: AsyncIterable<DecodedBatch>, into: DecodedBatch[]): Promise<readonly DecodedBatch[]> => {
  for await (const page of pages) into.push(page)
  return into
}

test.each([1, 3, 4, 7, 100])('pages of %i give every event once, in order, and end with the log', async (limit) => {
  const log = over(memoryEventStore())
  await write(log, 7)
  const all = await log.readAll('start', 100)
  const pages = await take(log.pages('start', limit), [])
  expect(pages.flatMap(({ events }) => events)).toEqual(all.events)
  expect(pages.at(-1)).toMatchObject({ to: all.to, caughtUp: true })
  const third = all.events[2]!.position
  expect((await take(log.pages(third, limit), [])).flatMap(({ events }) => events)).toEqual(all.events.slice(3))
})

test('the store is asked for the next page before this one is given', async () => {
  const store = memoryEventStore()
  let asked = 0
  const log = over({
    ...store,
    readAll: (...page) => {
      asked++
      return store.readAll(...page)
    },
  })
  await write(log, 4)
  const pages = log.pages('start', 2)[Symbol.asyncIterator]()
  await pages.next()
  expect(asked).toBe(2)
})

test('the events before one that cannot be decoded come first, then the reason', async () => {
  const store = memoryEventStore()
  const log = over(store)
  await write(log, 3)
  await store.append('contact-3', 'no_stream', [{ id: uuidv7(), type: 'ContactEmailChanged', data: 'no JSON', meta: '{}' }])
  const pages: DecodedBatch[] = []
  await expect(take(log.pages('start', 2), pages)).rejects.toThrow(CorruptEvent)
  expect(pages.flatMap(({ events }) => events.map(({ stream }) => stream))).toEqual(['contact-0', 'contact-1', 'contact-2'])
})
