import { openKeyRing } from '@tidings/codec'
import { asMessageId, type ContactId, contactSubject, type MessageId, message, messageStream } from '@tidings/domain'
import { applyReceipt, type Receipt } from '@tidings/receipts'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { existingHistory } from '../../src/send/history.ts'
import { recordOutcome } from '../../src/send/record-outcome.ts'
import { openRig, type Rig, WORKSPACE } from '../testing/rig.ts'

let db: TestDatabase
/** The process that accepted the mail, and another one, which has no key of anybody in memory. */
let first: Rig
let other: Rig
beforeEach(async () => {
  db = await testDatabase()
  first = await openRig(db.pool)
  other = await openRig(db.pool)
})
afterEach(async () => {
  await first.close()
  await other.close()
  await db.drop()
})

const accepted = async () => {
  const contactId = await first.newContact('ada@example.com')
  return { contactId, messageId: await first.accept(contactId, {}) }
}
const erase = async (contactId: ContactId): Promise<void> => {
  const keyRing = await openKeyRing({ pool: db.pool, masterKey: '00'.repeat(32) })
  await keyRing.shred(WORKSPACE, contactSubject({ contactId }))
}
const record = (rig: Rig, messageId: MessageId, type: 'RecordComplained' | 'RecordDelivered') =>
  rig.runner.execute({
    decider: message,
    stream: messageStream(WORKSPACE, messageId),
    command: { type, data: {} },
    context: { commandId: crypto.randomUUID(), workspaceId: WORKSPACE, actor: 'test', requestId: 'r', at: new Date().toISOString() },
  })
const receive = (messageId: MessageId, receipt: Pick<Receipt, 'type' | 'reason'>) =>
  applyReceipt(other.runner, { workspaceId: WORKSPACE, messageId, at: new Date().toISOString(), requestId: 'r', ...receipt })

test('a bounce that says why, of mail to a person who was erased since, is applied without its words', async () => {
  const { contactId, messageId } = await accepted()
  await erase(contactId)
  expect(await receive(asMessageId(messageId), { type: 'bounced', reason: '550 5.1.1 ada@example.com: no such user' })).toMatchObject({
    outcome: 'applied',
  })
  const events = await other.log.readStream(WORKSPACE, messageStream(WORKSPACE, asMessageId(messageId)))
  expect(events.map(({ type, data }) => [type, (data as { detail?: string | null }).detail])).toContainEqual(['MessageBounced', null])
})

test('a bounce after a final status, of mail to a person who was erased since, has nothing to keep', async () => {
  const { contactId, messageId } = await accepted()
  await record(first, asMessageId(messageId), 'RecordComplained')
  await erase(contactId)
  expect(await receive(asMessageId(messageId), { type: 'bounced', reason: 'no such user' })).toEqual({
    outcome: 'repeated',
    position: null,
  })
})

test('an outcome that comes after a final status and an erasure ends the work of its job', async () => {
  const { contactId, messageId } = await accepted()
  const history = await first.log
    .readStream(WORKSPACE, messageStream(WORKSPACE, asMessageId(messageId)))
    .then(() => existingHistory(first.log, WORKSPACE, asMessageId(messageId)))
  await record(first, asMessageId(messageId), 'RecordComplained')
  await erase(contactId)
  const recording = { log: other.log, signal: AbortSignal.timeout(240_000), lost: () => false }
  await recordOutcome(recording, history, { type: 'RecordBounced', data: { reason: 'hard_bounce', hard: true, detail: 'no such user' } })
  expect(await other.eventsOf(asMessageId(messageId))).toEqual(['EmailAccepted', 'MessageComplained'])
})
