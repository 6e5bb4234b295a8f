import { asMessageId, type ContactId, type MessageId } from '@tidings/domain'
import { applyReceipt, type Receipt } from '@tidings/receipts'
import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { type SmtpSink, startSmtpSink } from '@tidings/testing/smtp-sink'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRig, type Rig, WORKSPACE } from '../testing/rig.ts'

let db: TestDatabase
let sink: SmtpSink
let rig: Rig
beforeAll(async () => {
  db = await testDatabase()
  sink = await startSmtpSink()
  rig = await openRig(db.pool)
  await rig.configureSender(true)
  await rig.consume(sink.url)
})
afterAll(async () => {
  await rig.close()
  await sink.stop()
  await db.drop()
})

const sent = async (email: string): Promise<Readonly<{ contactId: ContactId; messageId: MessageId }>> => {
  const contactId = await rig.newContact(email)
  const messageId = asMessageId(await rig.accept(contactId, { to: email }))
  await until(async () => expect((await rig.messageOf(messageId)).status).toBe('sent'))
  return { contactId, messageId }
}
const receive = (messageId: MessageId, receipt: Pick<Receipt, 'type' | 'hard' | 'reason'>) =>
  applyReceipt(rig.runner, { workspaceId: WORKSPACE, messageId, at: '2026-11-21T10:00:00.000Z', requestId: 'r', ...receipt })

describe('a receipt', () => {
  test('of delivery moves the message and makes the address valid', async () => {
    const { contactId, messageId } = await sent('delivered@example.com')
    expect(await receive(messageId, { type: 'delivered' })).toMatchObject({ outcome: 'applied' })
    expect((await rig.messageOf(messageId)).status).toBe('delivered')
    await until(async () => expect((await rig.contactOf(contactId)).emailValidation).toBe('valid'))
  })

  test('of a bounce that does not say is a hard one: suppressed and cleaned', async () => {
    const { contactId, messageId } = await sent('bounced@example.com')
    await receive(messageId, { type: 'bounced' })
    expect(await rig.messageOf(messageId)).toMatchObject({ status: 'bounced', failureReason: 'hard_bounce' })
    await until(async () =>
      expect(await rig.contactOf(contactId)).toMatchObject({ suppressions: { email: ['hard_bounce'] }, consents: { email: 'cleaned' } }),
    )
  })

  test('of a soft bounce has no consequences for the contact', async () => {
    const { contactId, messageId } = await sent('soft@example.com')
    await receive(messageId, { type: 'bounced', hard: false, reason: 'mailbox\u0000full' })
    expect(await rig.messageOf(messageId)).toMatchObject({ status: 'bounced', failureReason: 'soft_bounce' })
    expect((await rig.contactOf(contactId)).suppressions.email).toEqual([])
  })

  test('of a complaint unsubscribes and suppresses, also after a delivery', async () => {
    const { contactId, messageId } = await sent('complained@example.com')
    await receive(messageId, { type: 'delivered' })
    await receive(messageId, { type: 'complained' })
    expect((await rig.messageOf(messageId)).status).toBe('complained')
    await until(async () =>
      expect(await rig.contactOf(contactId)).toMatchObject({
        suppressions: { email: ['spam_complaint'] },
        consents: { email: 'unsubscribed' },
      }),
    )
  })

  test('that comes late is kept once and moves nothing back', async () => {
    const { messageId } = await sent('late@example.com')
    await receive(messageId, { type: 'bounced' })
    expect(await receive(messageId, { type: 'delivered' })).toMatchObject({ outcome: 'applied' })
    expect(await receive(messageId, { type: 'delivered' })).toEqual({ outcome: 'repeated', position: null })
    expect((await rig.messageOf(messageId)).status).toBe('bounced')
    expect((await rig.eventsOf(messageId)).filter((type) => type === 'MessageReceiptIgnored')).toHaveLength(1)
  })

  test('of delivery makes the address valid though we had given the message up', async () => {
    const { contactId, messageId } = await sent('given-up@example.com')
    await receive(messageId, { type: 'failed' })
    await receive(messageId, { type: 'delivered' })
    expect((await rig.messageOf(messageId)).status).toBe('failed')
    await until(async () => expect((await rig.contactOf(contactId)).emailValidation).toBe('valid'))
  })

  test('of a delivery that a bounce took back says nothing about the address', async () => {
    const { contactId, messageId } = await sent('taken-back@example.com')
    await receive(messageId, { type: 'bounced' })
    await receive(messageId, { type: 'delivered' })
    await receive(messageId, { type: 'complained' })
    // The outcomes of one contact's mail are noted in order.
    await until(async () => expect((await rig.contactOf(contactId)).consents.email).toBe('unsubscribed'))
    expect((await rig.contactOf(contactId)).emailValidation).toBe('unknown')
  })

  test('for a message that does not exist changes nothing', async () => {
    expect(await receive(asMessageId(crypto.randomUUID()), { type: 'delivered' })).toEqual({ outcome: 'unknown_message', position: null })
  })
})
