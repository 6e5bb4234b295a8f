import { asContactId, asWorkspaceId, type ContactId, eventDeclarations } from '@tidings/domain'
import type { EventStore, EventToAppend } from '@tidings/event-store'
import { memoryEventStore } from '@tidings/event-store/memory'
import { describe, expect, test } from 'vitest'
import { CorruptEvent, UnknownEventType } from '../src/errors.ts'
import type { DecodedBatch } from '../src/event-log.ts'
import { uuidv7 } from '../src/ids.ts'
import { memoryKeyRing } from '../src/keys/memory-key-store.ts'
import { createEventLog } from '../src/typed-event-log.ts'
import { upcasters } from '../src/upcast/upcasters.ts'

const workspaceId = asWorkspaceId('0192f0c1-0000-7000-8000-00000000000a')
const keyRing = memoryKeyRing()
const context = () => ({ commandId: uuidv7(), workspaceId, actor: 'key:1', requestId: 'r-1', at: '2026-11-21T12:00:00.000Z' })
const changed = (contactId: ContactId) => ({
  type: 'ContactEmailChanged',
  data: { contactId, email: `${contactId}@example.com`, claimId: null },
})
const over = (store: EventStore) => createEventLog({ store, declarations: eventDeclarations, upcasters, keyRing })

const stored = async (contactId: ContactId): Promise<EventToAppend> => {
  const store = memoryEventStore()
  await over(store).append('contact-1', 'any', [changed(contactId)], context())
  const [event] = await store.readStream('contact-1')
  return event!
}

/** The log a reader meets: a good event, then the one in question, then a good one. */
const logWith = async (event: EventToAppend) => {
  const store = memoryEventStore()
  await store.append('contact-1', 'any', [await stored(asContactId('good'))])
  await store.append('contact-1', 'any', [event])
  await store.append('contact-1', 'any', [await stored(asContactId('later'))])
  return over(store)
}

type Blob = { v: number; s: string; k: number; p?: string; b: string }
type Data = Record<string, unknown> & { $enc: Blob }

const dataOf = (event: EventToAppend): Data => JSON.parse(event.data)

const withBlob = (event: EventToAppend, change: (blob: Blob) => Partial<Blob>): EventToAppend => {
  const data = dataOf(event)
  return { ...event, data: JSON.stringify({ ...data, $enc: { ...data.$enc, ...change(data.$enc) } }) }
}

const newer = (event: EventToAppend): EventToAppend => ({ ...event, meta: event.meta.replace('"schemaVersion":1', '"schemaVersion":2') })

const flipped = (text: string, at: number): string => {
  const bytes = Buffer.from(text, 'base64')
  bytes[at]! ^= 1
  return bytes.toString('base64')
}

describe('a reader stops, after the good events before it and naming the position, at', () => {
  test.each<[string, (event: EventToAppend) => EventToAppend | Promise<EventToAppend>]>([
    ['a text that is not JSON', (event) => ({ ...event, data: event.data.slice(0, -1) })],
    ['a text that is no object', (event) => ({ ...event, data: '[]' })],
    ['a meta that is not ours', (event) => ({ ...event, meta: '{}' })],
    ['a changed nonce', (event) => withBlob(event, ({ b }) => ({ b: flipped(b, 0) }))],
    ['a changed ciphertext', (event) => withBlob(event, ({ b }) => ({ b: flipped(b, 14) }))],
    ['a changed tag', (event) => withBlob(event, ({ b }) => ({ b: flipped(b, Buffer.from(b, 'base64').length - 1) }))],
    ['a blob cut short', (event) => withBlob(event, ({ b }) => ({ b: b.slice(0, 16) }))],
    ['a blob of no format', (event) => withBlob(event, () => ({ v: 0 }))],
    ['a blob that has layers and no period', (event) => withBlob(event, () => ({ v: 2 }))],
    ['a period that is none', (event) => withBlob(event, () => ({ v: 2, p: 'position' }))],
    ['a blob without its text', (event) => ({ ...event, data: '{"contactId":"ann","$enc":{"v":1,"s":"contact:ann","k":1}}' })],
    ['a key version that does not exist', (event) => withBlob(event, () => ({ k: 2 }))],
    ['a blob of the same person moved to another event', async (event) => ({ ...event, data: (await stored(asContactId('ann'))).data })],
    ['a blob under another type', (event) => ({ ...event, type: 'ContactPhoneChanged' })],
    ["another person's blob", async (event) => withBlob(event, () => ({ s: 'contact:good' }))],
  ])('%s', async (_, change) => {
    const log = await logWith(await change(await stored(asContactId('ann'))))
    const first = await log.readAll('start', 10)
    expect(first.events.map(({ data }) => data)).toEqual([changed(asContactId('good')).data])
    const failure = log.readAll(first.to, 10)
    await expect(failure).rejects.toThrow(CorruptEvent)
    await expect(failure).rejects.toThrow(`the event at position ${first.to.commit + 1n}/0 of the log (contact-1) cannot be decoded`)
    await expect(log.readStream(workspaceId, 'contact-1')).rejects.toThrow(CorruptEvent)
  })

  test.each<[string, (event: EventToAppend) => EventToAppend, object]>([
    [
      'a type that this build does not know',
      (event) => ({ ...event, type: 'ContactExploded' }),
      { type: 'ContactExploded', version: null },
    ],
    ['a schema version to come', newer, { type: 'ContactEmailChanged', version: 2 }],
    ['a blob of a format to come', (event) => withBlob(event, () => ({ v: 3 })), { type: 'ContactEmailChanged', version: 1 }],
    [
      'details of a kind to come',
      (event) => withBlob(event, () => ({ v: 2, p: '2026-11-16 client position' })),
      { type: 'ContactEmailChanged', version: 1 },
    ],
  ])('%s, which a newer process can read', async (_, change, unknown) => {
    const log = await logWith(change(await stored(asContactId('ann'))))
    const first = await log.readAll('start', 10, { types: ['ContactEmailChanged'] })
    expect(first.events).toHaveLength(1)
    const failure = await log.readAll(first.to, 10).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(UnknownEventType)
    const position = { commit: first.to.commit + 1n, prepare: 0n }
    expect(failure).toMatchObject({ ...unknown, position, ours: true, retryable: true })
  })

  test('an event of another product, which no process of ours can read', async () => {
    const log = await logWith({ ...(await stored(asContactId('ann'))), type: 'OrderPlaced', meta: '{}' })
    const first = await log.readAll('start', 10)
    const failure = await log.readAll(first.to, 10).catch((error: unknown) => error)
    expect(failure).toMatchObject({ name: 'UnknownEventType', type: 'OrderPlaced', version: null, ours: false, retryable: false })
  })
})

test('a type that the reader did not ask for stops it all the same when it is declared nowhere', async () => {
  const log = await logWith({ ...(await stored(asContactId('ann'))), type: 'ContactExploded' })
  const first = await log.readAll('start', 10, { types: ['ClaimTaken'] })
  await expect(log.readAll(first.to, 10, { types: ['ClaimTaken'] })).rejects.toThrow(UnknownEventType)
})

test('a subscription delivers the events before the bad one, then stops with its reason', async () => {
  const log = await logWith({ ...(await stored(asContactId('ann'))), data: '{' })
  const batches: DecodedBatch[] = []
  const reading = async () => {
    for await (const batch of log.subscribe({ from: 'start', signal: AbortSignal.timeout(240_000) })) batches.push(batch)
  }
  await expect(reading()).rejects.toThrow(CorruptEvent)
  expect(batches.flatMap(({ events }) => events).map(({ data }) => data)).toEqual([changed(asContactId('good')).data])
  expect(batches.at(-1)?.to).toEqual(batches.at(-1)?.events.at(-1)?.position)
})
