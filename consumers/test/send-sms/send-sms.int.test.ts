import type { ServerResponse } from 'node:http'
import {
  asContactId,
  asMessageId,
  contact,
  contactStream,
  INSTALLATION,
  type MessageId,
  message,
  messageStream,
  senderNumbers,
  senderNumbersStream,
  type WorkspaceStatus,
  workspaceStream,
} from '@tidings/domain'
import { suspendedWorkspaces } from '@tidings/jobs'
import { until } from '@tidings/testing'
import { startSmsc } from '@tidings/testing/smsc'
import { startTwilioServer, type TwilioServer } from '@tidings/testing/twilio-server'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { EVERY_JOB } from '../testing/every-job.ts'
import { makeAllDue } from '../testing/make-due.ts'
import { WORKSPACE } from '../testing/rig.ts'
import { db, rig, setUpSending } from '../testing/sending.ts'
import { createSmsRig, NUMBER, SENDER, type SmsRig } from '../testing/sms-rig.ts'

let twilio: TwilioServer
let sms: SmsRig
setUpSending()
beforeEach(async () => {
  twilio = await startTwilioServer()
  sms = createSmsRig(rig)
  await sms.decideSender({ type: 'ConfigureSenderId', data: { senderId: SENDER, status: 'approved' } })
  await sms.addCredits(100)
})
afterEach(() => twilio.stop())

const consume = (options = {}) => rig.consume('outbox', { smsUrl: twilio.url, ...options })
const ends = (messageId: MessageId, ...events: string[]) =>
  until(async () => expect(await rig.eventsOf(messageId)).toEqual(['SmsAccepted', ...events]))
const jobs = async () => (await db.pool.query<{ attempt: number }>(`select attempt from ${EVERY_JOB} order by seq`)).rows
const noJobs = () => until(async () => expect(await jobs()).toEqual([]))
const context = () => ({
  commandId: crypto.randomUUID(),
  workspaceId: WORKSPACE,
  actor: 'test',
  requestId: 'r',
  at: new Date().toISOString(),
})
/** The provider reports the delivery of the message that its callback names. */
const deliver = async (callback: string) => {
  const stream = messageStream(WORKSPACE, asMessageId(new URL(callback).searchParams.get('messageId') ?? ''))
  await rig.runner.execute({ decider: message, stream, command: { type: 'RecordDelivered', data: {} }, context: context() })
}
const accept = (response: ServerResponse, sid: string) =>
  response
    .writeHead(201, { 'content-type': 'application/json' })
    .end(JSON.stringify({ sid, account_sid: twilio.account.sid, status: 'queued' }))
const bodies = () => twilio.taken.map(({ form }) => form.Body)

describe('an accepted text message', () => {
  test('is sent, and paid once', async () => {
    await consume()
    const messageId = asMessageId(await sms.accept(await sms.newContact(NUMBER), { body: 'Your order is ready', credits: 2 }))
    await ends(messageId, 'MessageSent')
    expect(await rig.messageOf(messageId)).toMatchObject({ status: 'sent', providerMessageId: twilio.taken[0]?.sid })
    expect(twilio.taken.map(({ form }) => form)).toMatchObject([{ To: NUMBER, From: SENDER, Body: 'Your order is ready' }])
    await noJobs()
    expect(await sms.paymentsOf(messageId)).toEqual(['hold', 'settle'])
    expect(await sms.credits()).toMatchObject({ balance: 98, held: 0 })
  })

  test('leaves over SMPP in the same way', async () => {
    const smsc = await startSmsc()
    await consume({ smsUrl: smsc.url })
    const messageId = asMessageId(await sms.accept(await sms.newContact(NUMBER), { body: 'Hi' }))
    await ends(messageId, 'MessageSent')
    expect(smsc.submitted).toMatchObject([{ to: NUMBER.slice(1), from: SENDER, text: 'Hi' }])
    await noJobs()
    expect(await sms.credits()).toMatchObject({ balance: 99, held: 0 })
    await rig.close()
    await smsc.stop()
  })

  test('leaves from the own number of its sender ID, marketing too, and is stored with the sender ID', async () => {
    const assign = {
      type: 'AssignSenderNumbers',
      data: { workspaceId: WORKSPACE, numbers: [{ senderId: SENDER.toLowerCase(), number: '+972501110000' }] },
    } as const
    const installation = { ...context(), workspaceId: INSTALLATION }
    await rig.runner.execute({ decider: senderNumbers, stream: senderNumbersStream(), command: assign, context: installation })
    await consume()
    const contactId = await sms.newContact(NUMBER)
    const stream = contactStream(WORKSPACE, contactId)
    const consent = { type: 'NoteSmsReply', data: { contactId, phone: NUMBER, reply: 'start', message: null } } as const
    await rig.runner.execute({ decider: contact, stream, command: consent, context: context() })
    const messageIds = [await sms.accept(contactId), await sms.accept(contactId, {}, 'marketing')]
    for (const messageId of messageIds) {
      await ends(asMessageId(messageId), 'MessageSent')
      expect(JSON.stringify(await rig.messageOf(asMessageId(messageId)))).not.toContain('501110000')
    }
    expect(twilio.taken.map(({ form }) => form.From)).toEqual(['+972501110000', '+972501110000'])
  })

  test('is sent once, however often its event is read again', async () => {
    const messageId = asMessageId(await sms.accept(await sms.newContact(NUMBER)))
    const first = await consume()
    await ends(messageId, 'MessageSent')
    await first.stop()
    await db.pool.query('delete from ops.consumer_checkpoint')
    await consume()
    const next = asMessageId(await sms.accept(await sms.newContact('+972541234568'), { to: '+972541234568' }))
    await ends(next, 'MessageSent')
    await noJobs()
    expect(twilio.taken).toHaveLength(2)
    expect(await sms.paymentsOf(messageId)).toEqual(['hold', 'settle'])
  })

  test('of one contact leaves in order, by two processes at once', async () => {
    const contactId = await sms.newContact(NUMBER)
    await consume()
    await consume()
    const ids: string[] = []
    for (let n = 1; n <= 10; n++) ids.push(await sms.accept(contactId, { body: `${n}` }))
    for (const id of ids) await ends(asMessageId(id), 'MessageSent')
    expect(bodies()).toEqual(ids.map((_, n) => `${n + 1}`))
    await noJobs()
    expect(await sms.credits()).toMatchObject({ balance: 90, held: 0 })
  })
})

describe('a text message is not sent', () => {
  test.each(['hard_bounce', 'invalid_address', 'global_blocklist'] as const)('to a contact that is suppressed for %s', async (reason) => {
    await consume()
    const messageId = asMessageId(await sms.accept(await sms.newContact(NUMBER, [reason])))
    await ends(messageId, 'MessageSuppressed')
    expect(await rig.messageOf(messageId)).toMatchObject({ failureReason: reason })
    expect([twilio.requests, await sms.paymentsOf(messageId)]).toEqual([[], []])
  })

  test('where nothing could be made of its template', async () => {
    await consume()
    const messageId = asMessageId(await sms.accept(await sms.newContact(NUMBER), { body: '', credits: 0 }))
    await ends(messageId, 'MessageFailed')
    expect(await rig.messageOf(messageId)).toMatchObject({ failureReason: 'template_render_failed' })
    expect([twilio.requests, await sms.paymentsOf(messageId)]).toEqual([[], []])
  })

  test('to a contact that is not there', async () => {
    await consume()
    const messageId = asMessageId(await sms.accept(asContactId(crypto.randomUUID())))
    await ends(messageId, 'MessageFailed')
    expect(await rig.messageOf(messageId)).toMatchObject({ failureReason: 'undeliverable' })
  })

  test('under a sender ID that was revoked or deactivated while it waited, and names are compared in any case', async () => {
    const contactId = await sms.newContact(NUMBER)
    await consume()
    await ends(asMessageId(await sms.accept(contactId, { from: SENDER.toLowerCase() })), 'MessageSent')
    const revocations = [
      { type: 'DeactivateSenderId', data: { senderId: SENDER } },
      { type: 'RejectSenderId', data: { senderId: SENDER, reason: null } },
    ] as const
    for (const revocation of revocations) {
      await sms.decideSender(revocation)
      const messageId = asMessageId(await sms.accept(contactId))
      await ends(messageId, 'MessageFailed')
      expect(await rig.messageOf(messageId)).toMatchObject({ failureReason: 'sender_id_not_approved' })
      expect(await sms.paymentsOf(messageId)).toEqual([])
      if (revocation.type === 'DeactivateSenderId') await sms.decideSender({ type: 'ApproveSenderId', data: { senderId: SENDER } })
    }
    expect(twilio.taken).toHaveLength(1)
  })

  test('without credits: what there is is spent, and the rest is skipped', async () => {
    await sms.addCredits(3)
    const people = await Promise.all(Array.from({ length: 8 }, (_, n) => sms.newContact(`+97254123450${n}`)))
    const ids = await Promise.all(people.map((contactId, n) => sms.accept(asContactId(contactId), { to: `+97254123450${n}`, credits: 20 })))
    await consume()
    const statesNow = () => Promise.all(ids.map((id) => rig.messageOf(asMessageId(id))))
    await until(async () => expect((await statesNow()).map(({ status }) => status)).not.toContain('queued'))
    await noJobs()
    const states = await statesNow()
    expect(states.filter(({ status }) => status === 'sent')).toHaveLength(5)
    expect(states.filter(({ failureReason }) => failureReason === 'insufficient_credits').map(({ status }) => status)).toEqual(
      Array.from({ length: 3 }, () => 'skipped'),
    )
    expect(await sms.credits()).toMatchObject({ balance: 3, held: 0 })
    await sms.addCredits(17)
    const later = asMessageId(await sms.accept(people[0]!, { to: '+972541234500', credits: 20 }))
    await ends(later, 'MessageSent')
  })

  test('while its workspace is suspended, and is sent afterwards', async () => {
    const become = (status: WorkspaceStatus) =>
      rig.log.append(workspaceStream(WORKSPACE), 'any', [{ type: 'WorkspaceStatusChanged', data: { status, reason: null } }], context())
    await become('suspended')
    const messageId = asMessageId(await sms.accept(await sms.newContact(NUMBER)))
    await consume()
    await until(async () => expect(await suspendedWorkspaces(db.pool, 'send-sms')).toEqual([WORKSPACE]))
    expect(twilio.requests).toEqual([])
    await become('active')
    await ends(messageId, 'MessageSent')
  })
})

describe('what the provider answers', () => {
  test('a number that cannot be reached fails the message, cleans the consent and costs nothing', async () => {
    twilio.control.rule = () => ({ status: 400, code: 21614, message: `${NUMBER} is not a mobile number` })
    await consume()
    const contactId = await sms.newContact(NUMBER)
    const messageId = asMessageId(await sms.accept(contactId))
    await ends(messageId, 'MessageFailed')
    expect(await rig.messageOf(messageId)).toMatchObject({ status: 'failed', failureReason: 'invalid_address' })
    await until(async () => expect(await rig.contactOf(contactId)).toMatchObject({ consents: { sms: 'cleaned' } }))
    await noJobs()
    expect(await sms.paymentsOf(messageId)).toEqual(['hold', 'release'])
    const { rows } = await db.pool.query('select data, meta from es.event')
    expect(JSON.stringify(rows)).not.toContain(NUMBER.slice(1))
  })

  test('a refusal is final, costs nothing, and leaves the contact as it was', async () => {
    twilio.control.rule = () => ({ status: 400, code: 21612, message: 'no route' })
    await consume()
    const contactId = await sms.newContact(NUMBER)
    const messageId = asMessageId(await sms.accept(contactId))
    await ends(messageId, 'MessageFailed')
    expect(await rig.messageOf(messageId)).toMatchObject({ failureReason: 'provider_rejected' })
    await noJobs()
    expect(await sms.credits()).toMatchObject({ balance: 100, held: 0 })
    expect(await rig.contactOf(contactId)).toMatchObject({ consents: { sms: 'never_subscribed' } })
  })

  test('a temporary failure is tried again, and its credits stay held meanwhile (M58)', async () => {
    twilio.control.rule = () => ({ status: 503 })
    await consume()
    const messageId = asMessageId(await sms.accept(await sms.newContact(NUMBER)))
    await until(async () => expect(await jobs()).toEqual([{ attempt: 1 }]))
    expect(await sms.credits()).toMatchObject({ balance: 100, held: 1 })
    twilio.control.rule = undefined
    await makeAllDue(db.pool)
    await ends(messageId, 'MessageSent')
    await noJobs()
    expect(await sms.paymentsOf(messageId)).toEqual(['hold', 'settle'])
  })

  test('after the last try the provider was not available', async () => {
    twilio.control.rule = () => ({ status: 503 })
    await consume({ retryDelaysMs: [] })
    const messageId = asMessageId(await sms.accept(await sms.newContact(NUMBER)))
    await ends(messageId, 'MessageFailed')
    expect(await rig.messageOf(messageId)).toMatchObject({ failureReason: 'provider_unavailable' })
  })

  test('an answer that never comes keeps the hold; the one retry takes it over, and pays once', async () => {
    twilio.control.rule = () => 'cut after'
    const first = await consume()
    const messageId = asMessageId(await sms.accept(await sms.newContact(NUMBER), { credits: 3 }))
    await ends(messageId, 'MessageUnconfirmed')
    await until(async () => expect(await jobs()).toEqual([{ attempt: 1 }]))
    expect(await sms.credits()).toMatchObject({ balance: 100, held: 3 })
    twilio.control.rule = undefined
    await first.stop()
    await makeAllDue(db.pool)
    await consume({ unconfirmedMs: 0 })
    await ends(messageId, 'MessageUnconfirmed', 'MessageSent')
    await noJobs()
    expect(await sms.credits()).toMatchObject({ balance: 97, held: 0 })
  })

  test('a delivery that is reported before the answer is paid too', async () => {
    twilio.control.rule =
      ({ form }) =>
      (response, sid) =>
        void deliver(form.StatusCallback ?? '').then(() => accept(response, sid))
    await consume()
    const messageId = asMessageId(await sms.accept(await sms.newContact(NUMBER)))
    await ends(messageId, 'MessageDelivered', 'MessageSent')
    await noJobs()
    expect(await sms.paymentsOf(messageId)).toEqual(['hold', 'settle'])
  })

  test('while it is away no message fails, and what is held is of these messages', async () => {
    await twilio.stop()
    await consume()
    const ids = [await sms.accept(await sms.newContact(NUMBER)), await sms.accept(await sms.newContact('+972541234568'))]
    await until(async () =>
      expect((await db.pool.query(`select from inbox.job where deferred_for = 'provider_outage'`)).rowCount).toBeGreaterThan(0),
    )
    expect((await sms.credits()).held).toBeLessThanOrEqual(2)
    await twilio.start()
    for (const id of ids) await ends(asMessageId(id), 'MessageSent')
    await noJobs()
    expect(await sms.credits()).toMatchObject({ balance: 98, held: 0 })
  })
})
