import { asContactId, asWorkspaceId, contactSubject, eventDeclarations } from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { expect, test } from 'vitest'
import { createDecoder } from '../src/decode.ts'
import type { AppendContext } from '../src/event-log.ts'
import { uuidv7 } from '../src/ids.ts'
import type { KeyRing } from '../src/keys/key-ring.ts'
import { memoryKeyRing } from '../src/keys/memory-key-store.ts'
import { createMemo } from '../src/memo.ts'
import { createEventLog } from '../src/typed-event-log.ts'
import { upcastPaths } from '../src/upcast/upcast.ts'
import { upcasters } from '../src/upcast/upcasters.ts'

const workspaceId = asWorkspaceId('0192f0c1-0000-7000-8000-00000000000a')
const contactId = asContactId('0192f0c1-0000-7000-8000-00000000000c')
const changed = (email: string) => ({ type: 'ContactEmailChanged', data: { contactId, email, claimId: null } })
const context = (): AppendContext => ({
  commandId: uuidv7(),
  workspaceId,
  actor: 'key:1',
  requestId: 'r-1',
  at: '2026-11-21T12:00:00.000Z',
})

const openLog = (keyRing: KeyRing, store = memoryEventStore()) =>
  createEventLog({ store, declarations: eventDeclarations, upcasters, keyRing })

const erase = async (keyRing: KeyRing): Promise<void> => {
  keyRing.withhold(workspaceId, contactSubject({ contactId }))
  await keyRing.shred(workspaceId, contactSubject({ contactId }))
}

/** Makes so many events of one person, and a decoder with the memo that it fills. */
const decoding = async (count: number, keyRing: KeyRing) => {
  const store = memoryEventStore()
  const log = openLog(keyRing, store)
  const events = Array.from({ length: count }, (_, n) => changed(`${n}@b.example`))
  for (let n = 0; n < count; n += 100) await log.append('contact-1', 'any', events.slice(n, n + 100), context())
  const memo = createMemo({ maxEvents: 10_000, maxBytes: 100_000_000, maxAgeMs: 60_000 })
  keyRing.onForget(memo.clear)
  const stored = (await store.readAll('start', count)).events
  return {
    stored,
    memo,
    decoderWith: (ring: KeyRing) => createDecoder({ paths: upcastPaths(eventDeclarations, upcasters), keyRing: ring, memo }),
  }
}

test('a batch that is decoded while its person is erased leaves nothing of them in the memo', async () => {
  const keyRing = memoryKeyRing()
  const { stored, memo, decoderWith } = await decoding(1_500, keyRing)
  let erasing: Promise<void> | undefined
  const whileDecoding: KeyRing = {
    ...keyRing,
    cached: (...subject) => {
      // This happens between the first of three slices and the second.
      if (erasing === undefined) setImmediate(() => (erasing = erase(keyRing)))
      return keyRing.cached(...subject)
    },
  }
  await decoderWith(whileDecoding)(stored, { remember: true })
  await erasing
  expect(erasing).toBeDefined()
  expect(stored.filter((event) => memo.get(event))).toEqual([])
})

test('keys that were loaded before their person was erased leave nothing of them in the memo', async () => {
  const keyRing = memoryKeyRing()
  const { stored, memo, decoderWith } = await decoding(10, keyRing)
  const late: KeyRing = {
    ...keyRing,
    cached: () => undefined,
    load: async (subjects) => {
      const keys = await keyRing.load(subjects)
      await erase(keyRing)
      return keys
    },
  }
  await decoderWith(late)(stored, { remember: true })
  expect(stored.filter((event) => memo.get(event))).toEqual([])
})

test('an event that is appended with a key from before its person was erased is read as erased', async () => {
  const keyRing = memoryKeyRing()
  const log = openLog({
    ...keyRing,
    keyFor: async (...subject) => {
      const key = await keyRing.keyFor(...subject)
      await erase(keyRing)
      return key
    },
  })
  await log.append('contact-1', 'no_stream', [changed('ann@b.example')], context())
  expect(await log.readStream(workspaceId, 'contact-1')).toMatchObject([{ erased: true, data: { email: null } }])
})

test('a batch of no erased person is remembered, and one that is decoded after an erasure too', async () => {
  const keyRing = memoryKeyRing()
  const { stored, memo, decoderWith } = await decoding(1_500, keyRing)
  keyRing.forget(workspaceId, 'another person')
  await decoderWith(keyRing)(stored, { remember: true })
  expect(stored.filter((event) => memo.get(event))).toHaveLength(1_500)
})
