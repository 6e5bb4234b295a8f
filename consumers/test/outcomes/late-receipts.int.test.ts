import { asMessageId, contact, contactStream, type MessageCommand, type MessageId, message, messageStream } from '@tidings/domain'
import { applyReceipt, type Receipt } from '@tidings/receipts'
import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRig, type Rig, WORKSPACE } from '../testing/rig.ts'

let db: TestDatabase
let rig: Rig
beforeAll(async () => {
  db = await testDatabase()
  rig = await openRig(db.pool)
  await rig.configureSender(true)
  // Nothing is sent here: the outcome of the pipeline is what a test says.
  rig.noteOutcomes()
})
afterAll(async () => {
  await rig.close()
  await db.drop()
})

const context = () => ({
  commandId: crypto.randomUUID(),
  workspaceId: WORKSPACE,
  actor: 'test',
  requestId: 'r',
  at: new Date().toISOString(),
})
const record = (messageId: MessageId, command: MessageCommand) =>
  rig.runner.execute({ decider: message, stream: messageStream(WORKSPACE, messageId), command, context: context() })
const receive = (messageId: MessageId, receipt: Pick<Receipt, 'type' | 'hard' | 'reason'>) =>
  applyReceipt(rig.runner, { workspaceId: WORKSPACE, messageId, at: new Date().toISOString(), requestId: 'r', ...receipt })
const ended = async (email: string, command: MessageCommand) => {
  const contactId = await rig.newContact(email)
  const messageId = asMessageId(await rig.accept(contactId, { to: email }))
  await record(messageId, command)
  return { contactId, messageId, status: (await rig.messageOf(messageId)).status }
}
/** The outcomes of one contact's mail are noted in order: once this receipt has its consequence, those before it have theirs. */
const outcomesNoted = () =>
  until(async () => expect((await db.pool.query(`select 1 from inbox.job where kind = 'email-outcome'`)).rowCount).toBe(0))

const finals: Readonly<Record<string, MessageCommand>> = {
  failed: { type: 'RecordFailed', data: { reason: 'provider_unavailable', detail: null } },
  suppressed: { type: 'RecordSuppressed', data: { reason: 'hard_bounce' } },
  skipped: { type: 'RecordSkipped', data: { reason: 'no_consent' } },
  bounced: { type: 'RecordBounced', data: { reason: 'soft_bounce', hard: false, detail: null } },
  complained: { type: 'RecordComplained', data: {} },
}

describe('after a final status', () => {
  test.each(Object.keys(finals))('%s, a hard bounce moves no status, and suppresses and cleans', async (final) => {
    const { contactId, messageId, status } = await ended(`bounce-${final}@example.com`, finals[final]!)
    await receive(asMessageId(messageId), { type: 'bounced', hard: false })
    await receive(asMessageId(messageId), { type: 'bounced', reason: '550 5.1.1 no such user' })
    await until(async () => {
      const { suppressions, consents, emailValidation } = await rig.contactOf(contactId)
      expect(suppressions.email).toEqual(expect.arrayContaining(['hard_bounce', 'invalid_address']))
      expect([consents.email, emailValidation]).toEqual(['cleaned', 'invalid'])
    })
    expect((await rig.messageOf(asMessageId(messageId))).status).toBe(status)
  })

  test.each(['failed', 'suppressed', 'skipped'])('%s, a complaint moves no status, and suppresses and unsubscribes', async (final) => {
    const { contactId, messageId, status } = await ended(`complaint-${final}@example.com`, finals[final]!)
    await receive(asMessageId(messageId), { type: 'complained' })
    await until(async () =>
      expect(await rig.contactOf(contactId)).toMatchObject({
        suppressions: { email: ['spam_complaint'] },
        consents: { email: 'unsubscribed' },
      }),
    )
    expect((await rig.messageOf(asMessageId(messageId))).status).toBe(status)
  })

  test.each([
    ['grid@xn--bcher-kva.example', 'grid@bücher.example'],
    ['gwen@ｇmail.example', 'gwen@gmail.example'],
    ['gus@bu\u0308cher.example', 'gus@bücher.example'],
  ])('a hard bounce is of the contact whose address a log from before M46 has as %s', async (written, to) => {
    const contactId = await rig.newContact(written)
    const messageId = asMessageId(await rig.accept(contactId, { to }))
    await record(messageId, { type: 'RecordSent', data: { provider: 'smtp', providerMessageId: messageId } })
    await receive(messageId, { type: 'bounced', reason: '550 5.1.1 no such user' })
    await until(async () =>
      expect(await rig.contactOf(contactId)).toMatchObject({ consents: { email: 'cleaned' }, emailValidation: 'invalid' }),
    )
  })

  test('a soft bounce has no consequences', async () => {
    const { contactId, messageId } = await ended('soft@example.com', finals.failed!)
    const { position } = await receive(asMessageId(messageId), { type: 'bounced', hard: false })
    expect(position).not.toBeNull()
    await receive(asMessageId(messageId), { type: 'complained' })
    await until(async () => expect((await rig.contactOf(contactId)).suppressions.email).toEqual(['spam_complaint']))
  })

  test('a repeated complaint does not unsubscribe a contact that has subscribed since', async () => {
    const { contactId, messageId } = await ended('again@example.com', {
      type: 'RecordSent',
      data: { provider: 'smtp', providerMessageId: '1' },
    })
    await receive(asMessageId(messageId), { type: 'complained' })
    await until(async () => expect((await rig.contactOf(contactId)).consents.email).toBe('unsubscribed'))
    await rig.runner.execute({
      decider: contact,
      stream: contactStream(WORKSPACE, contactId),
      command: {
        type: 'RecordConsent',
        data: { contactId, consents: [{ channel: 'email', status: 'subscribed', source: 'api', ip: null, userAgent: null }] },
      },
      context: context(),
    })
    expect(await receive(asMessageId(messageId), { type: 'complained' })).toMatchObject({ outcome: 'applied' })
    await receive(asMessageId(messageId), { type: 'delivered' })
    await until(async () => expect((await rig.contactOf(contactId)).emailValidation).toBe('valid'))
    await outcomesNoted()
    expect((await rig.contactOf(contactId)).consents.email).toBe('subscribed')
  })
})
