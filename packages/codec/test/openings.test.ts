import { asContactId, asWorkspaceId, contactStream, eventDeclarations } from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { expect, test } from 'vitest'
import { createDecoder, type Decoder } from '../src/decode.ts'
import { uuidv7 } from '../src/ids.ts'
import type { KeyRing } from '../src/keys/key-ring.ts'
import { memoryKeyRing } from '../src/keys/memory-key-store.ts'
import { createMemo } from '../src/memo.ts'
import { createEventLog } from '../src/typed-event-log.ts'
import { upcastPaths } from '../src/upcast/upcast.ts'
import { upcasters } from '../src/upcast/upcasters.ts'

const workspaceId = asWorkspaceId('0192f0c1-0000-7000-8000-00000000000a')
const PEOPLE = 20

/** Events of so many people, a changed email and a changed phone of each, and a reader of a process that knows none of the keys. */
const written = async (ring: (keyRing: KeyRing) => KeyRing) => {
  const keyRing = memoryKeyRing()
  const store = memoryEventStore()
  const log = createEventLog({ store, declarations: eventDeclarations, upcasters, keyRing })
  for (let n = 0; n < PEOPLE; n++) {
    const contactId = asContactId(uuidv7())
    const events = [
      { type: 'ContactEmailChanged', data: { contactId, email: `${n}@b.example`, claimId: null } },
      { type: 'ContactPhoneChanged', data: { contactId, phone: `+97250${1_000_000 + n}`, claimId: null } },
    ]
    const context = { commandId: uuidv7(), workspaceId, actor: 'key:1', requestId: 'r-1', at: '2026-11-21T12:00:00.000Z' }
    await log.append(contactStream(workspaceId, contactId), 'no_stream', events, context)
  }
  const { events } = await store.readAll('start', 2 * PEOPLE)
  const memo = createMemo({ maxEvents: 10_000, maxBytes: 100_000_000, maxAgeMs: 60_000 })
  const decoder: Decoder = createDecoder({ paths: upcastPaths(eventDeclarations, upcasters), keyRing: ring(keyRing), memo })
  return { events, read: (types?: readonly string[]) => decoder(events, { remember: true, ...(types && { types: new Set(types) }) }) }
}

/** Counts the keys that are asked for, of which this process has none. */
const counting = () => {
  let asked = 0
  const ring = (keyRing: KeyRing): KeyRing => ({
    ...keyRing,
    cached: () => undefined,
    load: async (refs) => {
      asked += refs.length
      return await keyRing.load(refs)
    },
  })
  return { ring, asked: () => asked }
}

test('readers that get the same events at once ask for each key once, and all get them opened', async () => {
  const { ring, asked } = counting()
  const { read } = await written(ring)
  const all = await Promise.all([read(), read(), read()])
  expect(asked()).toBe(PEOPLE)
  for (const { events, failure } of all) {
    expect(failure).toBeNull()
    expect(events.map(({ data }) => data)).toEqual(all[0]?.events.map(({ data }) => data))
    expect(events[0]).toMatchObject({ erased: false, data: { email: '0@b.example' } })
  }
})

test('readers of types that overlap wait for those before them alone', async () => {
  const { ring, asked } = counting()
  const { read } = await written(ring)
  const [emails, phones, both] = await Promise.all([read(['ContactEmailChanged']), read(['ContactPhoneChanged']), read()])
  expect(asked()).toBe(2 * PEOPLE)
  expect([emails, phones, both].map(({ events }) => events.length)).toEqual([PEOPLE, PEOPLE, 2 * PEOPLE])
})

test('a reader whose keys cannot be asked for leaves the events to the next', async () => {
  let asked = 0
  const { read } = await written((keyRing) => ({
    ...keyRing,
    cached: () => undefined,
    load: async (refs) => {
      if (++asked === 1) throw new Error('the database is away')
      return await keyRing.load(refs)
    },
  }))
  const [first, second] = await Promise.allSettled([read(), read()])
  expect(first).toMatchObject({ status: 'rejected' })
  expect(second).toMatchObject({ status: 'fulfilled', value: { failure: null } })
})
