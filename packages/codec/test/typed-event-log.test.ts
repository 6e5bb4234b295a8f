import { asWorkspaceId, type DomainEvent, eventDeclarations } from '@tidings/domain'
import { type EventStore, InvalidAppend, START, Unavailable, WrongExpectedRevision } from '@tidings/event-store'
import { memoryEventStore } from '@tidings/event-store/memory'
import { describe, expect, test } from 'vitest'
import { examples } from '../golden/examples.ts'
import { ForeignEvent, SubjectErased, UnknownEventType } from '../src/errors.ts'
import type { AppendContext, DecodedBatch } from '../src/event-log.ts'
import { uuidv7 } from '../src/ids.ts'
import type { KeyRing } from '../src/keys/key-ring.ts'
import { memoryKeyRing } from '../src/keys/memory-key-store.ts'
import { createEventLog } from '../src/typed-event-log.ts'
import { upcasters } from '../src/upcast/upcasters.ts'

const workspaceId = asWorkspaceId('0192f0c1-0000-7000-8000-00000000000a')
const contact = (email: string) => ({ type: 'ContactEmailChanged', data: { contactId: 'ann', email, claimId: null } })
const released = { type: 'ClaimReleased', data: { claimId: 'c' } }

const context = (commandId = uuidv7()): AppendContext => ({
  commandId,
  workspaceId,
  actor: 'key:1',
  requestId: 'r-1',
  at: '2026-11-21T12:00:00.000Z',
})

const setUp = (store: EventStore = memoryEventStore(), keyRing: KeyRing = memoryKeyRing()) => {
  const open = () => createEventLog({ store, declarations: eventDeclarations, upcasters, keyRing })
  return { store, keyRing, log: open(), open }
}

const take = async (batches: AsyncIterable<DecodedBatch>, count: number) => {
  const events = []
  for await (const batch of batches) {
    events.push(...batch.events)
    if (events.length >= count) break
  }
  return events
}

test('an event reads as it was written, with who, when and where', async () => {
  const { log } = setUp()
  const appended = await log.append('contact-1', 'no_stream', [contact('ann@example.com')], { ...context(), causationId: 'cause' })
  const [event] = await log.readStream<DomainEvent>(workspaceId, 'contact-1')
  expect(event).toEqual({
    ...contact('ann@example.com'),
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    stream: 'contact-1',
    revision: 0,
    position: appended.position,
    created: expect.any(String),
    meta: { workspaceId, actor: 'key:1', requestId: 'r-1', causationId: 'cause', schemaVersion: 1, at: '2026-11-21T12:00:00.000Z' },
    erased: false,
  })
})

test('a stream with an event of another workspace is not shown, not even the part of it that was asked for', async () => {
  const { log } = setUp()
  const foreign = { ...context(), workspaceId: asWorkspaceId('0192f0c1-0000-7000-8000-00000000000b') }
  await log.append('contact-1', 'no_stream', [contact('ann@example.com')], context())
  await log.append('contact-1', 0, [contact('eve@example.com')], foreign)
  await expect(log.readStream(workspaceId, 'contact-1')).rejects.toThrow(ForeignEvent)
  await expect(log.readStream(foreign.workspaceId, 'contact-1')).rejects.toThrow(ForeignEvent)
  await expect(log.readStream(workspaceId, 'contact-1', { from: 1 })).rejects.toThrow(ForeignEvent)
  expect(await log.readStream(workspaceId, 'contact-1', { limit: 1 })).toHaveLength(1)
})

test('a reader of one workspace gets its events alone, and no key of another is loaded for it', async () => {
  const { log, keyRing, store } = setUp()
  const others = { ...context(), workspaceId: asWorkspaceId('0192f0c1-0000-7000-8000-00000000000b') }
  await log.append('contact-1', 'no_stream', [contact('ann@example.com')], context())
  await log.append('contact-2', 'no_stream', [contact('eve@example.com')], others)
  const asked: string[] = []
  const watched: KeyRing = {
    ...keyRing,
    cached: () => undefined,
    load: (subjects) => {
      asked.push(...subjects.map((subject) => subject.workspaceId))
      return keyRing.load(subjects)
    },
  }
  const reader = createEventLog({ store, declarations: eventDeclarations, upcasters, keyRing: watched })
  const ours = await reader.readAll('start', 10, { workspaceId })
  expect(ours.events.map(({ data }) => data)).toEqual([contact('ann@example.com').data])
  expect(asked).toEqual([workspaceId])
})

test('the same command appended twice is one append, although every blob is sealed with another nonce', async () => {
  const { log, store } = setUp()
  const command = context()
  const first = await log.append('contact-1', 'no_stream', [contact('ann@example.com')], command)
  const again = await log.append('contact-1', 'no_stream', [contact('ann@example.com')], command)
  expect(again).toEqual({ ...first, duplicate: true })
  expect((await store.readAll('start', 10)).events).toHaveLength(1)
  expect((await log.readStream<DomainEvent>(workspaceId, 'contact-1')).map(({ data }) => data)).toEqual([contact('ann@example.com').data])
})

test('a repeated command with other words reads as what the log holds, not as what was said the second time', async () => {
  const { log } = setUp()
  const command = context()
  await log.append('contact-1', 'no_stream', [contact('first@example.com')], command)
  await log.append('contact-1', 'no_stream', [contact('second@example.com')], command)
  expect((await log.readAll('start', 10)).events[0]?.data).toEqual(contact('first@example.com').data)
})

test('what the store refused is forgotten: the command may be repeated with other words', async () => {
  const { log } = setUp()
  const command = context()
  await expect(log.append('contact-1', 7, [contact('first@example.com')], command)).rejects.toThrow(WrongExpectedRevision)
  await log.append('contact-1', 'no_stream', [contact('second@example.com')], command)
  expect((await log.readAll('start', 10)).events[0]?.data).toEqual(contact('second@example.com').data)
})

describe('appended to several streams at once', () => {
  const drafts = (command = context()) =>
    ['contact-1', 'contact-2'].map((stream) => ({
      stream,
      expected: 'no_stream' as const,
      events: [contact(`${stream}@example.com`)],
      context: command,
    }))

  test('events read as if each stream had been appended to by itself', async () => {
    const { log, open, store } = setUp()
    const command = context()
    await log.appendTogether?.(drafts(command))
    const apart = open()
    for (const { stream, expected, events } of drafts())
      expect((await apart.append(stream, expected, events, command)).duplicate).toBe(true)
    const { events } = await apart.readAll('start', 10)
    expect(events.map(({ data }) => data)).toEqual(drafts().map((draft) => draft.events[0]!.data))
    expect((await store.readAll('start', 10)).events).toHaveLength(2)
  })

  test('what the store refused is forgotten', async () => {
    const { log } = setUp()
    const command = context()
    await log.append('contact-2', 'no_stream', [released], context())
    await expect(log.appendTogether?.(drafts(command))).rejects.toThrow(WrongExpectedRevision)
    await log.append('contact-1', 'no_stream', [contact('second@example.com')], command)
    expect((await log.readStream<DomainEvent>(workspaceId, 'contact-1'))[0]?.data).toEqual(contact('second@example.com').data)
  })

  test('one that is refused beside one whose key cannot be had is one error, and no unhandled one', async () => {
    const away: KeyRing = { ...memoryKeyRing(), keyFor: () => Promise.reject(new Unavailable('away')) }
    const { log } = setUp(memoryEventStore(), away)
    const [first, second] = drafts()
    const unheard = { ...second!, events: [{ type: 'Unheard', data: {} }] }
    await expect(log.appendTogether?.([first!, unheard])).rejects.toThrow(UnknownEventType)
  })

  test('is not offered over a store that cannot', () => {
    const { appendTogether, ...store } = memoryEventStore()
    expect(appendTogether).toBeDefined()
    expect(setUp(store).log.appendTogether).toBeUndefined()
  })
})

test('nothing to hide makes no blob: fields that are null stay readable', async () => {
  const { log, store } = setUp()
  await log.append('contact-1', 'any', [{ type: 'ContactEmailChanged', data: { contactId: 'ann', email: null, claimId: null } }], context())
  expect((await store.readStream('contact-1'))[0]?.data).toBe('{"contactId":"ann","claimId":null,"email":null}')
})

describe('refused before anything is written', () => {
  const nothing = async (store: EventStore) => expect(await store.head()).toEqual(START)

  test.each([
    ['a NUL', contact('a\0b@example.com')],
    ['half a surrogate pair', contact('\ud83d@example.com')],
    ['a name that the format keeps for itself', { type: 'ClaimReleased', data: { claimId: 'c', $enc: 1 } }],
    ['a name that is a prototype', { type: 'ClaimReleased', data: JSON.parse('{"__proto__": 1}') }],
    ['no object', { type: 'ClaimReleased', data: [] }],
  ])('%s', async (_, event) => {
    const { log, store } = setUp()
    await expect(log.append('contact-1', 'any', [released, event], context())).rejects.toThrow(InvalidAppend)
    await nothing(store)
  })

  test('a NUL in what stands beside the event', async () => {
    const { log, store } = setUp()
    await expect(log.append('claim-1', 'any', [released], { ...context(), requestId: 'a\0' })).rejects.toThrow(InvalidAppend)
    await nothing(store)
  })

  test.each(['ContactExploded', 'toString', '__proto__'])('the undeclared type %s', async (type) => {
    const { log, store } = setUp()
    await expect(log.append('contact-1', 'any', [{ type, data: {} }], context())).rejects.toThrow(UnknownEventType)
    await nothing(store)
  })

  test('anything personal about somebody who was erased', async () => {
    const { log, store, keyRing } = setUp()
    await keyRing.shred(workspaceId, 'contact:ann')
    await expect(log.append('contact-1', 'any', [contact('ann@example.com')], context())).rejects.toThrow(SubjectErased)
    await nothing(store)
  })
})

test('erasing a person blanks them in every reader of the process at once, also in what was just written', async () => {
  const { log, keyRing } = setUp()
  await log.append('contact-1', 'any', [{ type: 'ContactCreated', data: examples.ContactCreated }], context())
  await keyRing.shred(workspaceId, `contact:${examples.ContactCreated.contactId}`)
  const { events } = await log.readAll('start', 10)
  expect(events[0]?.erased).toBe(true)
  expect(events[0]?.data).toMatchObject({ contactId: examples.ContactCreated.contactId, source: 'api', email: null, tags: null })
})

test('readers may ask for some types only, and still stand at the end of the batch', async () => {
  const { log } = setUp()
  await log.append('contact-1', 'any', [contact('a@b.example'), released, contact('b@b.example'), released], context())
  const { events, to } = await log.readAll('start', 10, { types: ['ClaimReleased'] })
  expect(events.map(({ revision }) => revision)).toEqual([1, 3])
  expect(to).toEqual(await log.head())
})

test('a reader of nothing personal asks for no key, and spoils nothing for those who read all', async () => {
  const { log, keyRing, store, open } = setUp()
  await log.append('contact-1', 'no_stream', [contact('ann@example.com'), released], context())
  const noKeys: KeyRing = { ...keyRing, cached: () => undefined, load: () => expect.unreachable('a key was asked for') }
  const { events } = await setUp(store, noKeys).log.readAll('start', 10, { personal: [] })
  expect(events.map(({ data }) => data)).toEqual([{ ...contact('').data, email: null }, released.data])
  const other = open()
  for await (const batch of other.subscribe({ from: 'start', signal: new AbortController().signal, personal: [] })) {
    if (batch.caughtUp) break
  }
  expect((await other.readAll('start', 10)).events[0]?.data).toEqual(contact('ann@example.com').data)
})

test('a subscription delivers what is there and what comes, decoded, to every reader', async () => {
  const { log, open } = setUp()
  const stop = new AbortController()
  const readers = [log, open()].map((reader) => take(reader.subscribe({ from: 'start', signal: stop.signal }), 3))
  for (const email of ['1@b.example', '2@b.example', '3@b.example']) await log.append('contact-1', 'any', [contact(email)], context())
  for (const events of await Promise.all(readers))
    expect(events.map(({ data }) => data)).toEqual(['1@b.example', '2@b.example', '3@b.example'].map((email) => contact(email).data))
  stop.abort()
})

test('a subscription waits for as long as the keys cannot be asked for', async () => {
  const keyRing = memoryKeyRing()
  const { log, store } = setUp(undefined, keyRing)
  await log.append('contact-1', 'any', [contact('a@b.example')], context())
  let refusals = 0
  const flaky: KeyRing = {
    ...keyRing,
    cached: () => undefined,
    load: async (refs) => {
      if (++refusals < 3) throw new Unavailable('down')
      return keyRing.load(refs)
    },
  }
  const reader = setUp(store, flaky).log
  await expect(reader.readAll('start', 10)).rejects.toThrow(Unavailable)
  const events = await take(reader.subscribe({ from: 'start', signal: AbortSignal.timeout(240_000) }), 1)
  expect(events.map(({ data, erased }) => [data, erased])).toEqual([[contact('a@b.example').data, false]])
})

test('a long batch keeps its order over all its slices', async () => {
  const { log, open } = setUp()
  const events = Array.from({ length: 1_700 }, (_, n) => contact(`${n}@b.example`))
  for (let n = 0; n < events.length; n += 100) await log.append('contact-1', 'any', events.slice(n, n + 100), context())
  expect((await open().readAll('start', 2_000)).events.map(({ data }) => data)).toEqual(events.map(({ data }) => data))
})
