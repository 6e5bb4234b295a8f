import { asContactId, asMessageId, asWorkspaceId, contactSubject, eventDeclarations, messageStream } from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { expect, test } from 'vitest'
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
