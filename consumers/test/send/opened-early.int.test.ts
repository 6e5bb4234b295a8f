import { asMessageId, type ContactId, engagement, type MessageId, messageStream } from '@tidings/domain'
import type { EmailProvider } from '@tidings/providers'
import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openRig, type Rig, WORKSPACE } from '../testing/rig.ts'

let db: TestDatabase
let rig: Rig
beforeEach(async () => {
  db = await testDatabase()
  rig = await openRig(db.pool)
  await rig.configureSender(true)
})
afterEach(async () => {
  await rig.close()
  await db.drop()
})

const open = (messageId: MessageId, at: string) =>
  rig.runner.execute({
    decider: engagement,
    stream: messageStream(WORKSPACE, messageId),
    command: { type: 'RecordOpen', data: { at, machine: false } },
    context: { commandId: crypto.randomUUID(), workspaceId: WORKSPACE, actor: 'recipient', requestId: 'r', at },
  })
const validation = async (contactId: ContactId) => (await rig.contactOf(contactId)).emailValidation
const MINUTE_MS = 60_000

test('a mail that a scanner opens while it is being handed over is sent all the same, and its reader is heard later', async () => {
  const scanning: EmailProvider = {
    name: 'scanning',
    callMs: 20_000,
    outage: () => null,
    send: async ({ messageId }, { fence }) => {
      await fence()
      await open(messageId, new Date().toISOString())
      return { providerMessageId: messageId }
    },
    close: async () => undefined,
  }
  await rig.consume('outbox', { email: scanning })
  const contactId = await rig.newContact('ada@example.com')
  const messageId = asMessageId(await rig.accept(contactId, {}))
  await until(async () => expect((await rig.messageOf(messageId)).status).toBe('sent'))
  expect(await rig.eventsOf(messageId)).toEqual(['EmailAccepted', 'EmailOpened', 'MessageSent'])
  expect(await validation(contactId)).toBe('unknown')
  await open(messageId, new Date(Date.now() + MINUTE_MS).toISOString())
  expect(await rig.eventsOf(messageId)).toEqual(['EmailAccepted', 'EmailOpened', 'MessageSent', 'EmailOpened'])
  await until(async () => expect(await validation(contactId)).toBe('valid'))
})
