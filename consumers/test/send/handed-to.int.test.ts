import { createHash } from 'node:crypto'
import { asContactId, asMessageId, type ContactId, contact, contactStream, type MessageId, message, messageStream } from '@tidings/domain'
import { createSmsProvider } from '@tidings/providers'
import { until } from '@tidings/testing'
import { startTwilioServer } from '@tidings/testing/twilio-server'
import { createUniqueContacts, type UniqueContacts } from '@tidings/unique-contacts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Consuming, FROM, WORKSPACE } from '../testing/rig.ts'
import { db, rig, setUpSending, sink } from '../testing/sending.ts'
import { createSmsRig, SENDER } from '../testing/sms-rig.ts'

type Channel = 'email' | 'sms'
const context = () => ({
  commandId: crypto.randomUUID(),
  workspaceId: WORKSPACE,
  actor: 'test',
  requestId: 'req-1',
  at: new Date().toISOString(),
})

const ADDRESSES = {
  email: { old: 'old@example.com', now: 'new@example.com', other: 'other@example.com' },
  sms: { old: '+972541230001', now: '+972541230002', other: '+972541230003' },
} as const
const on = (channel: Channel, value: string | null) => (channel === 'email' ? { email: value } : { phone: value })
const withAddress = (channel: Channel, value: string) => (channel === 'email' ? { email: value } : { phone: value })

/** One place of the provider is for messages that are no passcodes, which a relay does not carry. It answers nothing before the test lets it. */
const CONNECTIONS = { email: 1, sms: 2 }
let gate: PromiseWithResolvers<void>
let unique: UniqueContacts
let running: Consuming
let stopServer: () => Promise<void>
setUpSending()
beforeEach(async () => {
  gate = Promise.withResolvers()
  stopServer = async () => undefined
  const claimDigest = (...parts: readonly string[]) => createHash('sha256').update(parts.join('|')).digest('hex')
  unique = createUniqueContacts({ runner: rig.runner, claimDigest })
  const sms = createSmsRig(rig)
  await sms.decideSender({ type: 'ConfigureSenderId', data: { senderId: SENDER, status: 'approved' } })
  await sms.addCredits(100)
})
afterEach(async () => {
  gate.resolve()
  await running.stop()
  await stopServer()
})

/** Starts a process. `inHands`: to whom a message was handed over; `recipients`: of those that were answered. */
type Provider = Readonly<{ inHands: () => readonly (string | undefined)[]; recipients: () => readonly (string | undefined)[] }>
const slow: Readonly<Record<Channel, () => Promise<Provider>>> = {
  email: async () => {
    const asked: string[] = []
    sink.answers.data = async ({ to }) => {
      asked.push(...to)
      await gate.promise
      return undefined
    }
    running = await rig.consume(sink.url, process(), { connections: CONNECTIONS.email, callMs: 300_000 })
    return { inHands: () => asked, recipients: () => sink.mails.flatMap(({ to }) => to) }
  },
  sms: async () => {
    const twilio = await startTwilioServer()
    stopServer = twilio.stop
    twilio.control.rule = () => (response, sid) =>
      void gate.promise.then(() =>
        response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ sid, status: 'queued' })),
      )
    const options = { provider: twilio.url, publicUrl: 'http://127.0.0.1:1', pool: db.pool, connections: CONNECTIONS.sms, callMs: 300_000 }
    running = await rig.consume('outbox', { ...process(), sms: await createSmsProvider(options) })
    const recipients = () => twilio.requests.map(({ form }) => form.To)
    return { inHands: recipients, recipients }
  },
}
const process = () => ({ addressNow: unique.addressNow, noteFacts: unique.noteFacts })

const newContact = async (channel: Channel, address: string): Promise<string> =>
  (await unique.create({ context: context(), details: {}, source: 'test', ...withAddress(channel, address) })).contactId
const change = (channel: Channel, contactId: ContactId, address: string | null) =>
  unique.update({ context: context(), contactId, details: {}, ...on(channel, address) })

type MessageToAccept = Readonly<{ contactId: ContactId; to: string; recipient?: 'contact' }>
const accept = async (channel: Channel, wanted: MessageToAccept): Promise<string> => {
  const messageId = asMessageId(crypto.randomUUID())
  const common = { messageId, ...wanted, templateId: null, kind: 'transactional' } as const
  const content = { subject: 's', html: '<p>h</p>', text: null }
  const mail = { fromEmail: FROM, fromName: null, replyTo: null, content, contentId: null }
  await rig.runner.execute({
    decider: message,
    stream: messageStream(WORKSPACE, messageId),
    command:
      channel === 'email'
        ? { type: 'AcceptEmail', data: { ...common, ...mail } }
        : { type: 'AcceptSms', data: { ...common, from: SENDER, body: 'Hi', credits: 1, segments: 1 } },
    context: context(),
  })
  return messageId
}
const claimed = async (): Promise<number> =>
  (await db.pool.query("select from inbox.job where token is not null and kind in ('send-email', 'send-sms')")).rowCount ?? 0

/** A message that has all places of the provider, and one that waits for them while `meanwhile` happens. */
const whileItWaits = async (
  channel: Channel,
  wanted: MessageToAccept,
  meanwhile: () => Promise<unknown>,
): Promise<Provider & { id: MessageId }> => {
  const provider = await slow[channel]()
  const { other } = ADDRESSES[channel]
  await accept(channel, { contactId: asContactId(await newContact(channel, other)), to: other })
  await until(() => expect(provider.inHands()).toEqual([other]))
  const id = asMessageId(await accept(channel, wanted))
  await until(async () => expect(await claimed()).toBe(2))
  await meanwhile()
  await running.heard()
  expect(provider.inHands()).toEqual([other])
  gate.resolve()
  await until(async () => expect((await rig.messageOf(id)).status).not.toBe('queued'))
  return { ...provider, id }
}

describe.each<Channel>(['email', 'sms'])('a transactional message by %s', (channel) => {
  const { old, now, other } = ADDRESSES[channel]
  const accepted = channel === 'email' ? 'EmailAccepted' : 'SmsAccepted'

  test('whose request names the contact goes to the address that the contact has when it is handed over', async () => {
    const contactId = asContactId(await newContact(channel, old))
    const sent = await whileItWaits(channel, { contactId, to: old, recipient: 'contact' }, () => change(channel, contactId, now))
    await until(() => expect(sent.recipients()).toEqual([other, now]))
    expect(await rig.eventsOf(sent.id)).toEqual([accepted, 'MessageReaddressed', 'MessageSent'])
    expect(await rig.messageOf(sent.id)).toMatchObject({ status: 'sent', to: now })
  })

  test('and fails where the contact has no such address by then', async () => {
    const contactId = asContactId(await newContact(channel, old))
    // A contact keeps one address of the two.
    await unique.update({ context: context(), contactId, details: {}, email: 'kept@example.com', phone: '+972541239999' })
    const to = channel === 'email' ? 'kept@example.com' : '+972541239999'
    const { id, recipients } = await whileItWaits(channel, { contactId, to, recipient: 'contact' }, () => change(channel, contactId, null))
    expect(await rig.messageOf(asMessageId(id))).toMatchObject({ status: 'failed', failureReason: 'address_changed' })
    expect(recipients()).toEqual([other])
  })

  test('goes to its `to`, also after the contact has given that up, and is not stopped for the new address', async () => {
    const contactId = asContactId(await newContact(channel, old))
    const sent = await whileItWaits(channel, { contactId, to: old }, async () => {
      await change(channel, contactId, now)
      const bad = { reasons: ['hard_bounce' as const], validation: 'unknown' as const, unreachable: false }
      await unique.noteFacts({ context: context(), kind: channel === 'email' ? 'email' : 'phone', value: now, facts: bad })
      if (channel === 'email') await bounced(contactId, now)
    })
    expect(sent.recipients()).toEqual([other, old])
    expect(await rig.eventsOf(sent.id)).toEqual([accepted, 'MessageSent'])
  })

  test.each([
    ['the contact, whatever address it has by now', 'contact'],
    ['the person who has the address by now', 'holder'],
  ])('to a `to` that was given up is stopped by a blacklisting of %s', async (_, who) => {
    const contactId = asContactId(await newContact(channel, old))
    const sent = await whileItWaits(channel, { contactId, to: old }, async () => {
      await change(channel, contactId, now)
      await blacklist(channel, who === 'contact' ? contactId : asContactId(await newContact(channel, old)))
    })
    expect(sent.recipients()).toEqual([other])
    expect(await rig.messageOf(sent.id)).toMatchObject({ status: 'suppressed', failureReason: 'global_blocklist' })
  })
})

const decided = async (contactId: ContactId, command: Parameters<typeof contact.decide>[0]): Promise<void> => {
  await rig.runner.execute({ decider: contact, stream: contactStream(WORKSPACE, contactId), command, context: context() })
}
const blacklist = (channel: Channel, contactId: ContactId) =>
  decided(contactId, { type: 'SuppressContact', data: { contactId, channels: [channel], reason: 'global_blocklist' } })
const bounced = (contactId: ContactId, email: string) =>
  decided(contactId, { type: 'NoteEmailOutcome', data: { contactId, email, outcome: 'hard_bounce' } })

test('a mail to a `to` that was given up is stopped by the hard bounce of that address', async () => {
  const { old, now, other } = ADDRESSES.email
  const contactId = asContactId(await newContact('email', old))
  const sent = await whileItWaits('email', { contactId, to: old }, async () => {
    await change('email', contactId, now)
    const facts = { reasons: ['hard_bounce' as const], validation: 'unknown' as const, unreachable: false }
    await unique.noteFacts({ context: context(), kind: 'email', value: old, facts })
  })
  expect(sent.recipients()).toEqual([other])
  expect(await rig.messageOf(sent.id)).toMatchObject({ status: 'suppressed', failureReason: 'hard_bounce' })
  expect((await rig.contactOf(contactId)).suppressions.email).toEqual([])
})

test('a bounce of a mail that was readdressed is of the address that it went to', async () => {
  const { old, now } = ADDRESSES.email
  const contactId = asContactId(await newContact('email', old))
  const { id } = await whileItWaits('email', { contactId, to: old, recipient: 'contact' }, () => change('email', contactId, now))
  const stream = messageStream(WORKSPACE, asMessageId(id))
  const command = { type: 'RecordBounced', data: { reason: 'hard_bounce', hard: true, detail: null } } as const
  await rig.runner.execute({ decider: message, stream, command, context: context() })
  await until(async () => expect((await rig.contactOf(contactId)).suppressions.email).toEqual(['hard_bounce']))
  const facts = async (value: string) => (await unique.addressNow(WORKSPACE, 'email', value)).facts.reasons
  expect([await facts(old), await facts(now)]).toEqual([[], ['hard_bounce']])
})
