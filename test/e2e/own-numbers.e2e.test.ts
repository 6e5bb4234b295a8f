import { createCommandRunner } from '@tidings/commands'
import { asContactId, asMessageId, type ContactEvent, type ContactId, contactStream, senderIds, senderIdsStream } from '@tidings/domain'
import { explainMessage } from '@tidings/evidence'
import { createProvisioner } from '@tidings/provisioning'
import { PATIENT_MS } from '@tidings/testing'
import { type Smsc, startSmsc } from '@tidings/testing/smsc'
import { startTwilioServer, type TwilioServer } from '@tidings/testing/twilio-server'
import { readStatement } from '@tidings/wallet'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataOf } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { passcodesOf } from './support/passcodes.ts'
import { freePort } from './support/service-process.ts'
import { newNumber, textsOf } from './support/texts.ts'
import { startWorld, type World } from './support/world.ts'

// M48: an own number behind a sender ID.

let numbers = 0
/** A number that no workspace of this file has yet. */
const ownNumber = () => `+97258${String(1_000_000 + numbers++)}`
const file = (senders: string, more = '') => `credits: 100\nsmsSenderIds: [${senders}]\n${more}`
const sender = (number: string | null, id = 'SHOPTEL') => `{ id: ${id}, status: approved, number: ${JSON.stringify(number)} }`
const send = async (client: Client, to: string, body = 'Hi'): Promise<string> =>
  dataOf<{ messageId: string }>(await client.request('POST', '/public/messages/sms', { to, senderId: 'shoptel', body }), 202).messageId

let world: World
/** A contact to whom a text has left. */
const written = async (client: Client, phone: string): Promise<string> => {
  const contactId = await textsOf(world, client).person(phone)
  await client.messageWith(await send(client, phone), 'sent', 'delivered')
  return contactId
}
/** Reads the log itself: what is not there was never recorded. */
const repliesOf = async ({ applied: { workspace } }: Client, contactId: ContactId) =>
  (await world.stores.log.readStream<ContactEvent>(workspace.id, contactStream(workspace.id, contactId))).flatMap((event) =>
    event.type === 'ContactConsentRecorded' && event.meta.actor === 'contact' ? [event.data.source] : [],
  )

describe('through Twilio’s API', () => {
  let twilio: TwilioServer
  beforeAll(async () => {
    twilio = await startTwilioServer({ reports: ['queued', 'sent', 'delivered'] })
    const port = String(await freePort())
    world = await startWorld({ TIDINGS_SMS_PROVIDER: twilio.url, PORT: port, TIDINGS_PUBLIC_URL: `http://127.0.0.1:${port}` })
  })
  afterAll(async () => {
    await world?.stop()
    await twilio?.stop()
  })

  const workspace = (slug: string, ...given: Parameters<typeof file>) => world.workspace(slug, file(...given))
  const takenBy = (to: string) => twilio.taken.filter(({ form }) => form.To === to)
  const write = (From: string, To: string, Body: string) =>
    twilio.inbound(`${world.url}/api/v1/providers/twilio/inbound`, { From, To, Body })

  it('a text, a passcode and a text of a flow leave from the number, and are shown with the sender ID', async () => {
    const [number, phone] = [ownNumber(), newNumber()]
    const flow = `templates: [{ name: thanks, channel: sms, body: "Thanks" }]
customEvents: [{ name: ordered }]
flows: [{ name: Thanks, trigger: { type: custom_event, event: ordered }, steps: [{ send: { channel: sms, template: thanks, from: SHOPTEL } }] }]`
    const acme = await workspace('own-kinds', sender(number), flow)
    const contactId = await textsOf(world, acme).person(phone)
    const messageId = asMessageId(await send(acme, phone))
    await acme.messageWith(messageId, 'delivered')
    await passcodesOf(acme).send(phone)
    await acme.request('PATCH', `/public/profiles/${contactId}`, { smsConsent: 'subscribed' })
    dataOf(await acme.request('POST', '/events/ingest', { contactId, event: 'ordered' }), 200)
    await eventually(
      async () => takenBy(phone),
      (taken) => taken.length === 3,
    )
    expect(takenBy(phone).map(({ form }) => form.From)).toEqual([number, number, number])
    const workspaceId = acme.applied.workspace.id
    const record = await acme.messageWith(messageId, 'delivered')
    const why = await explainMessage(world.stores, { workspaceId, messageId })
    const statement: unknown[] = []
    for await (const entry of readStatement(world.stores.log, workspaceId)) statement.push(entry)
    const listed = await acme.request('GET', '/public/sms-sender-ids')
    const shown = JSON.stringify([record, why, statement, listed.body])
    expect(shown).toContain('from SHOPTEL')
    expect(shown).not.toContain(number.slice(1))
  })

  it('a STOP to a number is its workspace’s, also where another one wrote last, under the same name', async () => {
    const [first, second, phone] = [ownNumber(), ownNumber(), newNumber()]
    const earlier = await workspace('own-earlier', sender(first))
    const later = await workspace('own-later', sender(second))
    const named = await workspace('own-named', '{ id: SHOPTEL, status: approved }')
    const ids: ContactId[] = []
    // Those that have a number wrote after the one whose texts leave from the name.
    for (const client of [named, earlier, later]) ids.push(asContactId(await written(client, phone)))
    const recorded = async () => {
      const [byName, ...byNumber] = await Promise.all(
        [named, earlier, later].map((client, n) => repliesOf(client, ids[n] ?? asContactId(''))),
      )
      return [...byNumber, byName]
    }
    expect(await write(phone, first, 'STOP')).toBe(200)
    await expect.poll(recorded).toEqual([['sms_stop'], [], []])
    expect(await write(phone, second.replace('+972', '+972 (0)'), 'Stop.')).toBe(200)
    await expect.poll(recorded).toEqual([['sms_stop'], ['sms_stop'], []])
    expect(await write(phone, 'ShopTel', 'STOP')).toBe(200)
    await expect.poll(recorded).toEqual([['sms_stop'], ['sms_stop'], ['sms_stop']])
    expect(await write(phone, first.slice(1), 'START')).toBe(200)
    await expect.poll(recorded).toEqual([['sms_stop', 'sms_start'], ['sms_stop'], ['sms_stop']])
  })

  it('a number that moves takes its replies along, and another workspace cannot have it before', async () => {
    const [number, phone] = [ownNumber(), newNumber()]
    const from = await workspace('own-from', sender(number))
    const to = await workspace('own-to', sender(null))
    const [before, after] = [asContactId(await written(from, phone)), asContactId(await written(to, phone))]
    await expect(workspace('own-to', sender(number))).rejects.toThrow('behind the sender ID SHOPTEL of the workspace own-from')
    await workspace('own-from', sender(null))
    await workspace('own-to', sender(number))
    await write(phone, number, 'STOP')
    await expect.poll(async () => [await repliesOf(from, before), await repliesOf(to, after)]).toEqual([[], ['sms_stop']])
    const other = newNumber()
    await send(to, other)
    await send(from, other)
    await eventually(
      async () => takenBy(other).map(({ form }) => form.From),
      (senders) => senders.length === 2,
    )
    expect(
      takenBy(other)
        .map(({ form }) => form.From)
        .toSorted(),
    ).toEqual([number, 'SHOPTEL'])
  })

  it('a number that another workspace has as its sender ID, and a sender ID that is another one’s number, are refused', async () => {
    await workspace('own-digits', sender(null, '"4915123456"'))
    await expect(workspace('own-same', sender('+4915123456'))).rejects.toThrow('is a sender ID of the workspace own-digits')
    await workspace('own-other', sender('+4915123457'))
    await expect(workspace('own-same', sender(null, '"4915123457"'))).rejects.toThrow(
      'the number behind the sender ID SHOPTEL of the workspace own-other',
    )
  })

  it('a text that waits leaves from the number of the moment it leaves', async () => {
    const [first, second, phone] = [ownNumber(), ownNumber(), newNumber()]
    const acme = await workspace('own-waits', sender(first))
    const texts = textsOf(world, acme)
    const contactId = asContactId(await texts.person(phone))
    const status = (now: 'active' | 'suspended') =>
      world.operate(texts.workspaceId, { type: 'ChangeWorkspaceStatus', data: { status: now } })
    await status('suspended')
    const messageId = asMessageId(crypto.randomUUID())
    const data = { messageId, contactId, to: phone, from: 'SHOPTEL', body: 'Hi', credits: 1, segments: 1, templateId: null } as const
    await texts.decide(messageId, { type: 'AcceptSms', data: { ...data, kind: 'transactional' } })
    await workspace('own-waits', sender(second))
    await status('active')
    await acme.messageWith(messageId, 'sent', 'delivered')
    expect(takenBy(phone).map(({ form }) => form.From)).toEqual([second])
  })

  it('a sender ID that is deactivated, or a workspace that is suspended, sends nothing from the number and hears a STOP', async () => {
    const [number, phone] = [ownNumber(), newNumber()]
    const acme = await workspace('own-off', sender(number), 'smsReplies: { help: "Call us." }')
    const contactId = asContactId(await written(acme, phone))
    expect(await write(phone, number, 'HELP')).toBe(200)
    await eventually(
      async () => takenBy(phone).map(({ form }) => [form.From, form.Body]),
      (taken) => taken.some(([from, body]) => from === number && body === 'Call us.'),
    )
    const workspaceId = acme.applied.workspace.id
    const provisioner = createProvisioner(createCommandRunner({ log: world.stores.log, deadlineMs: PATIENT_MS }))
    const command = { type: 'DeactivateSenderId', data: { senderId: 'SHOPTEL' } } as const
    await provisioner.execute(workspaceId, senderIds, senderIdsStream(workspaceId), command)
    const texts = textsOf(world, acme)
    const messageId = asMessageId(crypto.randomUUID())
    const data = { messageId, contactId, to: phone, from: 'SHOPTEL', body: 'Late', credits: 1, segments: 1, templateId: null } as const
    await texts.decide(messageId, { type: 'AcceptSms', data: { ...data, kind: 'transactional' } })
    expect(await acme.messageWith(messageId, 'failed', 'sent')).toMatchObject({ failureReason: 'sender_id_not_approved' })
    await write(phone, number, 'STOP')
    await world.operate(workspaceId, { type: 'ChangeWorkspaceStatus', data: { status: 'suspended' } })
    await write(phone, number, 'START')
    await expect.poll(() => repliesOf(acme, contactId)).toEqual(['sms_stop', 'sms_start'])
    expect(takenBy(phone).map(({ form }) => form.Body)).toEqual(['Hi', 'Call us.'])
  })

  it('a person who was never written to may write to the number, where the workspace knows him', async () => {
    const [number, phone] = [ownNumber(), newNumber()]
    const acme = await workspace('own-first', sender(number))
    const contactId = asContactId(await textsOf(world, acme).person(phone))
    for (const from of [newNumber(), phone]) expect(await write(from, number, 'STOP')).toBe(200)
    await expect.poll(() => repliesOf(acme, contactId)).toEqual(['sms_stop'])
  })
})

describe('over SMPP', () => {
  let smsc: Smsc
  beforeAll(async () => {
    smsc = await startSmsc()
    world = await startWorld({ TIDINGS_SMS_PROVIDER: smsc.url })
  })
  afterAll(async () => {
    await world?.stop()
    await smsc?.stop()
  })

  it('the number is an international sender, its receipts match, and a STOP to it in every form is its workspace’s', async () => {
    const [number, phone] = [ownNumber(), newNumber()]
    const acme = await world.workspace('own-smpp', file(sender(number)))
    const contactId = asContactId(await textsOf(world, acme).person(phone))
    const messageId = await send(acme, phone)
    const { providerMessageId } = await acme.messageWith(messageId, 'sent')
    const [submitted] = smsc.submitted.filter(({ to }) => `+${to}` === phone)
    expect([submitted?.from, submitted?.fields.source_addr_ton, submitted?.fields.source_addr_npi]).toEqual([number.slice(1), 1, 1])
    const person = { source_addr_ton: 1, source_addr: phone.slice(1) }
    const own = { dest_addr_ton: 1, destination_addr: number.slice(1) }
    const report = `id:${providerMessageId} sub:001 dlvrd:001 stat:DELIVRD err:000 text:Hi`
    expect(await smsc.deliver({ ...person, ...own, esm_class: 4, short_message: report })).toBe(0)
    await acme.messageWith(messageId, 'delivered')
    const forms = [own, { ...own, dest_addr_ton: 0 }, { dest_addr_ton: 2, destination_addr: number.replace('+972', '0') }]
    for (const form of forms) {
      expect(await smsc.deliver({ ...person, ...form, short_message: 'Stop' })).toBe(0)
      expect(await smsc.deliver({ ...person, ...form, short_message: 'Start' })).toBe(0)
    }
    await eventually(
      () => repliesOf(acme, contactId),
      (replies) => replies.length === 6,
    )
    await expect.poll(() => repliesOf(acme, contactId)).toEqual(forms.flatMap(() => ['sms_stop', 'sms_start']))
  })
})
