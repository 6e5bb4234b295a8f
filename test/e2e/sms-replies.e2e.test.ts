import { type ContactEvent, type ContactId, contactStream } from '@tidings/domain'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataOf } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { newNumber, SENDER, texting, textsOf } from './support/texts.ts'
import { ACCOUNT, postForm, postText, twilioSettings, twilioSignature } from './support/twilio.ts'
import { type Receiver, startReceiver } from './support/webhook-receiver.ts'
import { startWorld, type World } from './support/world.ts'

let world: World
let receiver: Receiver
let acme: Client
let hooli: Client

const replies = `smsReplies: { stop: "You get no more texts from hooli.", help: "Write to help@hooli.example." }`

beforeAll(async () => {
  receiver = await startReceiver()
  world = await startWorld({ ...twilioSettings, TIDINGS_WEBHOOK_ALLOW_LOCAL: '1' })
  acme = await world.workspace('acme', texting)
  hooli = await world.workspace('hooli', `${texting}\n${replies}`)
})
afterAll(async () => {
  await world?.stop()
  await receiver?.close()
})

type Profile = Readonly<{ smsConsent: string; smsSuppressed: boolean }>
const profileOf = async (client: Client, id: string): Promise<Profile> =>
  dataOf<Profile>(await client.request('GET', `/public/profiles/${id}`), 200)
const written = async (client: Client, phone = newNumber()) => ({ phone, ...(await textsOf(world, client).accept(phone)) })
/** Reads the log itself: what is not there was never recorded. */
const historyOf = async ({ applied: { workspace } }: Client, contactId: ContactId) =>
  (await world.stores.log.readStream<ContactEvent>(workspace.id, contactStream(workspace.id, contactId))).flatMap(({ type, data, meta }) =>
    type === 'ContactConsentRecorded' ? [{ source: data.source, actor: meta.actor }] : [],
  )
const shownAs = (client: Client, id: string, smsConsent: string, more: Partial<Profile> = {}) =>
  expect.poll(() => profileOf(client, id)).toMatchObject({ smsConsent, ...more })
const received = { status: 200, type: expect.stringMatching(/^text\/xml/), text: expect.stringContaining('<Response></Response>') }

describe('a person who texts', () => {
  it.each(['STOP', 'stopall', ' Unsubscribe ', 'cancel', 'END', 'quit'])('%j gets no marketing any more', async (Body) => {
    const { phone, contactId } = await written(acme)
    expect(await postText(world.url, { From: phone, To: SENDER, Body })).toEqual(received)
    await shownAs(acme, contactId, 'unsubscribed', { smsSuppressed: true })
    expect(await historyOf(acme, contactId)).toEqual([{ source: 'sms_stop', actor: 'contact' }])
  })

  it('START after that is subscribed', async () => {
    const { phone, contactId } = await written(acme)
    await postText(world.url, { From: phone, To: SENDER, Body: 'STOP' })
    await postText(world.url, { From: phone, To: SENDER.toLowerCase(), Body: 'yes' })
    await shownAs(acme, contactId, 'subscribed', { smsSuppressed: false })
  })

  it('anything else changes nothing', async () => {
    const { phone, contactId } = await written(acme)
    for (const Body of ['please stop', '!', '', 'stop and go', 'x'.repeat(1_600), 'HELP'])
      expect(await postText(world.url, { From: phone, To: SENDER, Body })).toEqual(received)
    expect(await historyOf(acme, contactId)).toEqual([])
  })

  it('STOP is unsubscribed once, however often Twilio says it', async () => {
    await acme.request('POST', '/public/webhooks', { url: `${receiver.url}/stop`, events: ['contact.unsubscribed'] })
    const [{ phone, contactId }, other] = [await written(acme), await written(acme)]
    for (let n = 0; n < 3; n++) await postText(world.url, { From: phone, To: SENDER, Body: 'STOP', MessageSid: 'SMrepeated' })
    await postText(world.url, { From: other.phone, To: SENDER, Body: 'STOP' })
    const fired = await receiver.wait('/stop', 2)
    expect(fired.map(({ event, data }) => [event, data.id, data.channel]).toSorted()).toEqual(
      [contactId, other.contactId].map((id) => ['contact.unsubscribed', id, 'sms']).toSorted(),
    )
    expect(await historyOf(acme, contactId)).toHaveLength(1)
  })

  it('is believed only with Twilio’s signature', async () => {
    const { phone, contactId } = await written(acme)
    const path = '/api/v1/providers/twilio/inbound'
    const form = { AccountSid: ACCOUNT.sid, MessageSid: 'SMforged', From: phone, To: SENDER, Body: 'STOP' }
    for (const signature of [null, '', twilioSignature(path, form, 'other'), twilioSignature(`${path}?a=b`, form)])
      expect(await postForm(world.url, { path, form, signature })).toMatchObject({ status: 401 })
    expect(await historyOf(acme, contactId)).toEqual([])
  })
})

describe('a reply belongs to', () => {
  it('the workspace that last wrote to the number, by its own contact', async () => {
    const first = await written(acme)
    const second = await written(hooli, first.phone)
    await postText(world.url, { From: first.phone, To: SENDER, Body: 'STOP' })
    await shownAs(hooli, second.contactId, 'unsubscribed')
    expect(await historyOf(acme, first.contactId)).toEqual([])
    await textsOf(world, acme).accept(first.phone, first.contactId)
    await postText(world.url, { From: first.phone, To: SENDER, Body: 'STOP' })
    await shownAs(acme, first.contactId, 'unsubscribed')
  })

  it('the workspace whose text left, not to one whose text waits or was suppressed', async () => {
    const first = await written(acme)
    await textsOf(world, acme).decide(first.messageId, { type: 'RecordSent', data: { provider: 'twilio', providerMessageId: 'SMleft' } })
    const second = await written(hooli, first.phone)
    const stop = () => postText(world.url, { From: first.phone, To: SENDER, Body: 'STOP' })
    await stop()
    await shownAs(acme, first.contactId, 'unsubscribed')
    await textsOf(world, hooli).decide(second.messageId, { type: 'RecordSuppressed', data: { reason: 'sms_stop' } })
    await stop()
    await expect.poll(() => historyOf(acme, first.contactId)).toHaveLength(2)
    expect(await historyOf(hooli, second.contactId)).toEqual([])
  })

  it('the contact that has the number now', async () => {
    const before = await written(acme)
    await acme.request('PATCH', `/public/profiles/${before.contactId}`, { phone: newNumber() })
    const now = await textsOf(world, acme).person(before.phone)
    await postText(world.url, { From: before.phone, To: SENDER, Body: 'STOP' })
    await shownAs(acme, now, 'unsubscribed')
    expect(await historyOf(acme, before.contactId)).toEqual([])
  })

  it('no workspace, where none wrote to the number through the sender', async () => {
    const { phone, contactId } = await written(acme)
    for (const [From, To] of [
      [newNumber(), SENDER],
      [phone, 'OTHER'],
      ['ACME', phone],
      ["+1' or true --", SENDER],
    ] as const)
      expect(await postText(world.url, { From, To, Body: 'STOP' })).toEqual(received)
    expect(await historyOf(acme, contactId)).toEqual([])
  })
})

describe('a workspace that says what keywords are answered', () => {
  const answersTo = async (contactId: string) =>
    (
      await world.stores.pool.query<{ id: string }>(
        `select id from read.messages where contact_id = $1 and channel = 'sms' order by queued_at`,
        [contactId],
      )
    ).rows.map(({ id }) => id)

  it('answers them from the sender that was written to', async () => {
    const { phone, contactId, messageId } = await written(hooli)
    for (const Body of ['HELP', 'STOP', 'START']) await postText(world.url, { From: phone, To: SENDER, Body })
    await expect.poll(() => answersTo(contactId)).toHaveLength(3)
    const answers = (await answersTo(contactId)).filter((id) => id !== messageId)
    const accepted = await Promise.all(
      answers.map(
        async (id) =>
          (await world.stores.log.readStream(hooli.applied.workspace.id, `message-${hooli.applied.workspace.id}-${id}`))[0]?.data,
      ),
    )
    expect(accepted).toEqual([
      expect.objectContaining({ to: phone, from: SENDER, body: 'Write to help@hooli.example.', credits: 1, kind: 'transactional' }),
      expect.objectContaining({ to: phone, from: SENDER, body: 'You get no more texts from hooli.', segments: 1 }),
    ])
    await shownAs(hooli, contactId, 'subscribed')
  })

  it('answers no number that it never wrote to', async () => {
    const phone = newNumber()
    const contactId = await textsOf(world, hooli).person(phone)
    await postText(world.url, { From: phone, To: SENDER, Body: 'HELP' })
    expect(await answersTo(contactId)).toEqual([])
  })
})
