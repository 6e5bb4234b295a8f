import { asContactId, asMessageId, asWorkspaceId, contactSubject, eventDeclarations, messageStream } from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { describe, expect, test } from 'vitest'
import { createEventLog, memoryKeyRing, upcasters, uuidv7 } from '../src/index.ts'

test('what a relay said of a mail is sealed for its recipient, and what an older version stored in clear is read', async () => {
  const [store, keyRing, workspaceId] = [memoryEventStore(), memoryKeyRing(), asWorkspaceId(uuidv7())]
  const log = createEventLog({ store, declarations: eventDeclarations, upcasters, keyRing })
  const [messageId, contactId] = [uuidv7(), asContactId(uuidv7())]
  const response = '250 accepted for ada.lovelace'
  const data = { messageId, contactId, channel: 'email', provider: 'smtp', providerMessageId: '4F2A' } as const
  const context = { commandId: uuidv7(), workspaceId, actor: 'pipeline', requestId: 'r', at: new Date().toISOString() }
  const stream = messageStream(workspaceId, asMessageId(messageId))
  await log.append(stream, 'no_stream', [{ type: 'MessageSent', data: { ...data, response } }], context)
  const old = { ...(await store.readStream(stream))[0]!, id: uuidv7(), data: JSON.stringify({ ...data, response: 'old' }) }
  await store.append(stream, 0, [{ id: old.id, type: old.type, data: old.data, meta: old.meta }])
  const [stored] = await store.readStream(stream)
  expect(stored?.data).not.toContain('lovelace')
  const said = async () => (await log.readStream(workspaceId, stream)).map((event) => (event.data as { response?: unknown }).response)
  expect(await said()).toEqual([response, 'old'])
  await keyRing.shred(workspaceId, contactSubject({ contactId }))
  expect((await said())[0] ?? null).toBeNull()
})

describe('what a relay said', () => {
  const stored = async (response: string, providerMessageId: string) => {
    const [store, keyRing, workspaceId] = [memoryEventStore(), memoryKeyRing(), asWorkspaceId(uuidv7())]
    const log = createEventLog({ store, declarations: eventDeclarations, upcasters, keyRing })
    const messageId = asMessageId(uuidv7())
    const data = { messageId, contactId: asContactId(uuidv7()), channel: 'email', provider: 'smtp', providerMessageId, response } as const
    const context = { commandId: uuidv7(), workspaceId, actor: 'pipeline', requestId: 'r', at: new Date().toISOString() }
    const stream = messageStream(workspaceId, messageId)
    await log.append(stream, 'no_stream', [{ type: 'MessageSent', data }], context)
    expect((await log.readStream(workspaceId, stream))[0]?.data).toEqual(data)
    await keyRing.shred(workspaceId, contactSubject(data))
    const [event] = await log.readStream(workspaceId, stream)
    return { text: (await store.readStream(stream))[0]?.data ?? '', erased: event?.erased, data: event?.data }
  }

  test.each([
    ['250 2.0.0 Ok: queued as 4ZcQ3k0Yt1z4xyz', '4ZcQ3k0Yt1z4xyz'],
    ['250 ok queued as 17', '17'],
    ['250 OK id=1rXyzA-0000AB-2x', '1rXyzA-0000AB-2x'],
    ['250 Ok 0102018e2f0a7c3d-6f1e4b1c-000000', '0102018e2f0a7c3d-6f1e4b1c-000000'],
    ['250 2.0.0 vA1BcDeF012345 Message accepted for delivery', 'vA1BcDeF012345'],
    ['250 OK', 'no name of its own'],
  ])('is not sealed where it names no person: %s', async (response, name) => {
    const { text, erased, data } = await stored(response, name)
    expect(text).toContain(JSON.stringify(response))
    expect(text).not.toContain('$enc')
    expect([erased, data]).toEqual([false, expect.objectContaining({ response })])
  })

  test.each([
    ['250 2.0.0 Ok: queued for grace', '4F2A'],
    ['250 2.0.0 Ok: queued as 4F2A for ada', '4F2A'],
    ['250 2.0.0 Ok: queued as ada 4F2A', '4F2A'],
    ['250 2.0.0 Ok: queued as 4F2A 4F2A', '4F2A'],
    ['250-ada.lovelace\n250 ok queued as 4F2A', '4F2A'],
    ['250 ok queued as ada', 'lovelace'],
    ['250 ok queued аs 4F2A', '4F2A'],
    ['250 ok 0501234567', '4F2A'],
    ['250 ok queued as 4F2Aada', '4F2A'],
    ['adaok', '4F2A'],
  ])('is sealed where anything else stands in it: %s', async (response, name) => {
    const { text, erased, data } = await stored(response, name)
    expect(text).not.toContain(JSON.stringify(response).slice(1, -1))
    expect([erased, data]).toEqual([true, expect.objectContaining({ response: null })])
  })
})
