import { createHash } from 'node:crypto'
import { asMessageId, type ContactId, type MessageId, message, messageStream } from '@tidings/domain'
import { createSmsProvider } from '@tidings/providers'
import { applyReceipt, applySmsReceipt, type Receipt } from '@tidings/receipts'
import { until } from '@tidings/testing'
import { startTwilioServer } from '@tidings/testing/twilio-server'
import { createUniqueContacts, type UniqueContacts } from '@tidings/unique-contacts'
import { beforeEach, describe, expect, test } from 'vitest'
import { announceWaiting } from '../testing/make-due.ts'
import { FROM, WORKSPACE } from '../testing/rig.ts'
import { db, rig, setUpSending, sink } from '../testing/sending.ts'
import { createSmsRig, SENDER } from '../testing/sms-rig.ts'

const OLD = { email: 'old@example.com', phone: '+972541230001' }
const NOW = { email: 'new@example.com', phone: '+972541230002' }
const context = () => ({
  commandId: crypto.randomUUID(),
  workspaceId: WORKSPACE,
  actor: 'test',
  requestId: 'req-1',
  at: new Date().toISOString(),
})

let unique: UniqueContacts
let contactId: ContactId
setUpSending()
beforeEach(async () => {
  const claimDigest = (...parts: readonly string[]) => createHash('sha256').update(parts.join('|')).digest('hex')
  unique = createUniqueContacts({ runner: rig.runner, claimDigest })
  contactId = (await unique.create({ context: context(), details: {}, source: 'test', ...OLD })).contactId
})

const makeAllDue = async () => {
  await db.pool.query('update inbox.job set due_at = now()')
  await announceWaiting(db.pool)
}
const process = () => ({ addressNow: unique.addressNow, noteFacts: unique.noteFacts })
const moves = () => unique.update({ context: context(), contactId, details: {}, ...NOW })
const facts = async (value: string) => (await unique.addressNow(WORKSPACE, 'email', value)).facts.reasons
const ends = (id: MessageId, ...types: string[]) => until(async () => expect((await rig.eventsOf(id)).slice(1)).toEqual(types))

const accept = async (channel: 'email' | 'sms'): Promise<string> => {
  const messageId = asMessageId(crypto.randomUUID())
  const common = { messageId, contactId, recipient: 'contact', templateId: null, kind: 'transactional' } as const
  const content = { subject: 's', html: '<p>h</p>', text: null }
  await rig.runner.execute({
    decider: message,
    stream: messageStream(WORKSPACE, messageId),
    command:
      channel === 'email'
        ? {
            type: 'AcceptEmail',
            data: { ...common, to: OLD.email, fromEmail: FROM, fromName: null, replyTo: null, content, contentId: null },
          }
        : { type: 'AcceptSms', data: { ...common, to: OLD.phone, from: SENDER, body: 'Hi', credits: 1, segments: 1 } },
    context: context(),
  })
  return messageId
}
const receive = (messageId: MessageId, receipt: Pick<Receipt, 'type' | 'recipients'>) =>
  applyReceipt(rig.runner, { workspaceId: WORKSPACE, messageId, at: new Date().toISOString(), requestId: 'r', ...receipt })

describe('a message that was handed over for an address that its contact has given up since', () => {
  test('by mail, whose answer is missing, is sent once more to that address and to no other, whose bounce is its own', async () => {
    sink.answers.data = () => {
      for (const socket of sink.sockets()) socket.destroy()
      return undefined
    }
    const first = await rig.consume(sink.url, process())
    const id = asMessageId(await accept('email'))
    await ends(id, 'MessageUnconfirmed')
    await first.stop()
    await moves()
    delete sink.answers.data
    await rig.consume(sink.url, { ...process(), unconfirmedMs: 0 })
    await makeAllDue()
    await ends(id, 'MessageUnconfirmed', 'MessageSent')
    expect(new Set(sink.mails.flatMap(({ to }) => to))).toEqual(new Set([OLD.email]))
    await receive(id, { type: 'bounced', recipients: [OLD.email] })
    await until(async () => expect(await facts(OLD.email)).toEqual(['hard_bounce']))
    expect([await facts(NOW.email), (await rig.contactOf(contactId)).suppressions.email]).toEqual([[], []])
  })

  test('by text, whose answer is missing, is sent once more to that number and to no other', async () => {
    const sms = createSmsRig(rig)
    await sms.decideSender({ type: 'ConfigureSenderId', data: { senderId: SENDER, status: 'approved' } })
    await sms.addCredits(10)
    const twilio = await startTwilioServer()
    const options = { provider: twilio.url, publicUrl: 'http://127.0.0.1:1', pool: db.pool, callMs: 60_000 }
    twilio.control.rule = () => 'cut after'
    const first = await rig.consume('outbox', { ...process(), sms: await createSmsProvider(options) })
    const id = asMessageId(await accept('sms'))
    await ends(id, 'MessageUnconfirmed')
    await first.stop()
    await moves()
    twilio.control.rule = undefined
    const second = await rig.consume('outbox', { ...process(), sms: await createSmsProvider(options), unconfirmedMs: 0 })
    await makeAllDue()
    await ends(id, 'MessageUnconfirmed', 'MessageSent')
    expect(new Set(twilio.requests.map(({ form }) => form.To))).toEqual(new Set([OLD.phone]))
    await second.stop()
    await twilio.stop()
  })

  test('by a process that died before it said so: a report names the address that it is about', async () => {
    const id = asMessageId(await accept('email'))
    await moves()
    await rig.consume(sink.url, process())
    await ends(id, 'MessageReaddressed', 'MessageSent')
    await receive(id, { type: 'bounced', recipients: ['OLD@Example.com'] })
    await ends(id, 'MessageReaddressed', 'MessageSent', 'MessageReceiptIgnored')
    await until(async () => expect(await facts(OLD.email)).toEqual(['hard_bounce']))
    expect(await rig.messageOf(id)).toMatchObject({ status: 'sent', to: NOW.email })
    expect([await facts(NOW.email), (await rig.contactOf(contactId)).suppressions.email]).toEqual([[], []])
    await receive(id, { type: 'bounced', recipients: [NOW.email] })
    await until(async () => expect((await rig.contactOf(contactId)).suppressions.email).toEqual(['hard_bounce']))
    expect((await rig.messageOf(id)).status).toBe('bounced')
  })

  test('by text, in the same way', async () => {
    const id = asMessageId(await accept('sms'))
    await moves()
    const readdress = { type: 'ReaddressMessage', data: { to: NOW.phone } } as const
    await rig.runner.execute({ decider: message, stream: messageStream(WORKSPACE, id), command: readdress, context: context() })
    const report = (to: string, status: 'sent' | 'failed') =>
      applySmsReceipt(rig.runner, {
        ...{ workspaceId: WORKSPACE, messageId: id, provider: 'twilio', requestId: 'r', providerMessageId: 'SM1', detail: null },
        ...{ status, reason: status === 'failed' ? 'invalid_address' : null, at: new Date().toISOString(), recipients: [to] },
      })
    await rig.consume('outbox', process())
    await report(OLD.phone, 'sent')
    await report(OLD.phone, 'failed')
    expect((await rig.eventsOf(id)).slice(1)).toEqual(['MessageReaddressed', 'MessageReceiptIgnored'])
    const unreachable = async (value: string) => (await unique.addressNow(WORKSPACE, 'phone', value)).facts.unreachable
    await until(async () => expect(await unreachable(OLD.phone)).toBe(true))
    expect([await unreachable(NOW.phone), (await rig.contactOf(contactId)).consents.sms]).toEqual([false, 'never_subscribed'])
  })
})
