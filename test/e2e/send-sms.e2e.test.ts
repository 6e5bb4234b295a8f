import { asMessageId, type MessageEvent, messageStream, type SmsAccepted } from '@tidings/domain'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { coded, dataOf, outcome, uncoded } from './support/answers.ts'
import { type Client, clientOf } from './support/client.ts'
import { profilesOf } from './support/profiles.ts'
import { startWorld, type World } from './support/world.ts'

const UNKNOWN = '00000000-0000-7000-8000-000000000000'

const fileOf = (slug: string, credits: number) => `
workspace: { slug: ${slug}, name: Text }
country: IL
apiKeys: [{ name: test }]
credits: ${credits}
smsSenderIds: [{ id: Acme, status: approved }, { id: WAITING }, { id: REFUSED, status: rejected }]
templates:
  - { name: ready, channel: sms, body: "Order {{orderId}} for {{firstName|you}} {{custom.plan|}} {{phone}}" }
  - { name: empty, channel: sms, body: "{{nothing}}" }
  - { name: gone, channel: sms, body: "x", archived: true }
  - { name: mail, channel: email, subject: "x", html: "<p>x</p>" }
`

let world: World
let texting: Client
let profiles: ReturnType<typeof profilesOf>

beforeAll(async () => {
  world = await startWorld()
  texting = clientOf({ url: world.url, applied: await world.apply(fileOf('texting', 1_000)), shown: world.settle })
  profiles = profilesOf(texting)
})
afterAll(() => world.stop())

type Body = Readonly<Record<string, unknown>>
type Headers = Readonly<Record<string, string>>

const valid = { senderId: 'ACME', body: 'Hi' }
const ask = (body: Body, headers: Headers = {}, client = texting) => client.request('POST', '/public/messages/sms', body, headers)
const answered = async (body: Body, client = texting) => outcome(await ask({ ...valid, ...body }, {}, client))
/** The message as it was accepted; no answer shows its text. */
const accepted = async (body: Body, headers: Headers = {}): Promise<SmsAccepted['data']> => {
  const { messageId } = dataOf<{ messageId: string }>(await ask({ ...valid, ...body }, headers), 202)
  const { id } = texting.applied.workspace
  const [first] = await world.stores.log.readStream<MessageEvent>(id, messageStream(id, asMessageId(messageId)))
  if (first?.type !== 'SmsAccepted') throw new Error(`message ${messageId} begins with ${first?.type}`)
  return first.data
}
const idOf = (name: string): string => texting.applied.templates[name] ?? ''

describe('the sender ID', () => {
  it('is used in its stored casing', async () => {
    expect(await accepted({ to: '+972501110001', senderId: 'aCME' })).toMatchObject({ from: 'Acme' })
  })

  it.each([
    ['', 'sender_id_required'],
    ['  ', 'sender_id_required'],
    ['SENDER', 'sender_id_required'],
    ['info', 'sender_id_required'],
    ['Shop', 'sender_id_required'],
    ['WAITING', 'sender_id_not_approved'],
    ['REFUSED', 'sender_id_not_approved'],
    ['__proto__', 'sender_id_not_approved'],
    ["'; drop", 'sender_id_not_approved'],
  ])('%j is refused: %s', async (senderId, code) => {
    expect(await answered({ to: '+972501110002', senderId })).toEqual(coded(400, code))
  })

  it('must be sent, and has no default', async () => {
    expect(outcome(await ask({ to: '+972501110002', body: 'Hi' }))).toEqual(uncoded(400, 'senderId must be a string'))
    expect(await answered({ to: '+972501110002', senderId: null })).toEqual(uncoded(400, 'senderId must be a string'))
    expect(await answered({ to: '+972501110002', senderId: 'A'.repeat(12) })).toEqual(
      uncoded(400, 'senderId must be shorter than or equal to 11 characters'),
    )
  })
})

describe('the recipient', () => {
  it('is found by the exact number, and made where no contact has it', async () => {
    const { id } = await profiles.create({ phone: '+972501110010', firstName: 'Ada' })
    expect(await accepted({ to: '+972501110010' })).toMatchObject({ contactId: id, to: '+972501110010' })
    const { contactId } = await accepted({ to: '+972501110011' })
    expect(await profiles.get(contactId)).toMatchObject({ phone: '+972501110011', email: null, smsConsent: 'never_subscribed' })
    expect(await accepted({ to: '+972501110011' })).toMatchObject({ contactId })
  })

  it('that many ask for at once is made once', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => accepted({ to: '+972501110012' })))
    expect(new Set(all.map(({ contactId }) => contactId)).size).toBe(1)
    expect(new Set(all.map(({ messageId }) => messageId)).size).toBe(8)
  })

  it('in local form collides with the contact that has the number, and is made where none has it', async () => {
    await profiles.create({ phone: '+972501110020' })
    for (const to of ['0501110020', '+972 50-111-0020', '972501110020'])
      expect(await answered({ to })).toEqual(coded(409, 'contact_phone_taken'))
    expect(await accepted({ to: '050-111-0021' })).toMatchObject({ to: '+972501110021' })
    expect(await answered({ to: '050-111-0021' })).toEqual(coded(409, 'contact_phone_taken'))
  })

  it('is contactId where both are given, and then no contact is made of the number', async () => {
    const { id } = await profiles.create({ phone: '+972501110030' })
    expect(await accepted({ to: '+972501110031', contactId: id })).toMatchObject({ contactId: id, to: '+972501110030' })
    expect((await profiles.list('?search=972501110031')).total).toBe(0)
  })

  it('must be known by its id, have a number, and be named at all', async () => {
    const { id } = await profiles.create({ email: 'no-phone@example.com' })
    expect(await answered({ contactId: UNKNOWN })).toEqual(uncoded(404, 'Contact not found'))
    expect(await answered({ contactId: id })).toEqual(coded(400, 'recipient_phone_missing'))
    expect(await answered({})).toEqual(uncoded(400, 'to or contactId is required'))
    for (const to of ['', 'no number', '123', `+${'9'.repeat(16)}`]) expect(await answered({ to })).toEqual(coded(400, 'invalid_phone'))
    expect(await answered({ to: '1'.repeat(33) })).toEqual(uncoded(400, 'to must be shorter than or equal to 32 characters'))
  })
})

describe('the text', () => {
  it('is sent as written on the manual path', async () => {
    const written = { to: '+972501110040', body: ' Hi {{firstName}} <b>', templateFields: { firstName: 'Ada' } }
    expect(await accepted(written)).toMatchObject({ body: ' Hi {{firstName}} <b>', templateId: null, kind: 'transactional' })
  })

  it('is rendered with the contact where there is one, and without on the first message to a number', async () => {
    const templateFields = { orderId: 7 }
    const first = { to: '+972501110041', templateId: idOf('ready'), templateFields }
    expect(await accepted(first)).toMatchObject({ body: 'Order 7 for you  ', templateId: idOf('ready') })
    expect(await accepted(first)).toMatchObject({ body: 'Order 7 for you  +972501110041' })
    const { id } = await profiles.create({ phone: '+972501110042', firstName: 'Ada <3', customProperties: { plan: 'pro' } })
    expect(await accepted({ ...first, to: undefined, contactId: id })).toMatchObject({ body: 'Order 7 for Ada <3 pro +972501110042' })
    expect(await accepted({ ...first, to: undefined, contactId: id, templateFields: { firstName: null, orderId: [1] } })).toMatchObject({
      body: 'Order  for Ada <3 pro +972501110042',
    })
  })

  it('has a price and a number of segments', async () => {
    const of = async (body: string) => {
      const { credits, segments } = await accepted({ to: '+972501110043', body })
      return { credits, segments }
    }
    expect(await of('a'.repeat(268))).toEqual({ credits: 1, segments: 2 })
    expect(await of('a'.repeat(269))).toEqual({ credits: 2, segments: 2 })
    expect(await of('€'.repeat(134))).toEqual({ credits: 1, segments: 2 })
    expect(await of('ש'.repeat(135))).toEqual({ credits: 2, segments: 3 })
  })

  it.each<readonly [Body, object]>([
    [{ body: ' \n' }, coded(400, 'content_empty')],
    [{ body: undefined }, uncoded(400, 'body must be a string')],
    [{ body: 7 }, uncoded(400, 'body must be a string')],
    [{ contentMode: 'template' }, uncoded(400, 'templateId is required when contentMode is template')],
    [{ contentMode: 'html' }, uncoded(400, 'contentMode must be one of the following values: manual, template')],
    [{ templateId: UNKNOWN, contentMode: 'manual' }, uncoded(400, 'templateId is not allowed when contentMode is manual')],
    [{ templateId: UNKNOWN }, coded(404, 'template_not_found')],
    [{ text: 'Hi' }, uncoded(400, 'property text should not exist')],
    [{ body: 'a\u0000b' }, uncoded(400, 'Request contains invalid characters')],
  ])('is refused: %j', async (body, expected) => {
    expect(await answered({ to: '+972501110002', ...body })).toEqual(expected)
  })

  it('that is longer than a message may be is refused', async () => {
    const answer = await answered({ to: '+972501110002', body: 'a'.repeat(1_601) })
    expect(answer).toEqual(uncoded(400, 'body must be shorter than or equal to 1600 characters'))
  })

  it('is refused for its template', async () => {
    const of = (name: string, templateFields = {}) => answered({ to: '+972501110002', templateId: idOf(name), templateFields })
    expect(await of('gone')).toEqual(coded(404, 'template_not_found'))
    expect(await of('mail')).toEqual(coded(400, 'template_channel_mismatch'))
    expect(await of('empty')).toEqual(coded(400, 'content_empty'))
    expect(await of('ready', { orderId: 'a'.repeat(1_601) })).toEqual(coded(400, 'content_too_long'))
    expect(await of('ready', { orderId: 'a'.repeat(200_000) })).toEqual(coded(400, 'content_too_long'))
  })
})

describe('a refusal', () => {
  it('comes in the order sender, template, credits, recipient', async () => {
    const empty = clientOf({ url: world.url, applied: await world.apply(fileOf('penniless', 0)), shown: world.settle })
    const bad = { contactId: UNKNOWN, senderId: 'OTHER', templateId: UNKNOWN, body: 'Hi' }
    expect(await answered(bad, empty)).toEqual(coded(400, 'sender_id_not_approved'))
    expect(await answered({ ...bad, senderId: 'Acme' }, empty)).toEqual(coded(404, 'template_not_found'))
    const unpaid = { ...bad, senderId: 'Acme', templateId: undefined }
    expect(await answered(unpaid, empty)).toEqual(coded(403, 'insufficient_credits'))
    expect(await answered({ ...unpaid, contactId: undefined, to: 'no number' }, empty)).toEqual(coded(403, 'insufficient_credits'))
    // Credits count from the moment they are added.
    await world.apply(fileOf('penniless', 2))
    expect(await answered(unpaid, empty)).toEqual(uncoded(404, 'Contact not found'))
    expect(await answered({ to: '+972501110051', body: 'ש'.repeat(400) }, empty)).toEqual(coded(403, 'insufficient_credits'))
    expect(await answered({ to: '+972501110051' }, empty)).toEqual({ status: 202, success: true })
  })

  it('says how many credits are missing, and leaves nothing behind', async () => {
    const empty = clientOf({ url: world.url, applied: await world.apply(fileOf('bankrupt', 0)), shown: world.settle })
    const { status, body } = await ask({ to: '+972501110060', ...valid }, {}, empty)
    expect({ status, body }).toMatchObject({ status: 403, body: { code: 'insufficient_credits', required: 1, available: 0 } })
    expect((await profilesOf(empty).list()).total).toBe(0)
    expect(dataOf<{ total: number }>(await empty.request('GET', '/public/messages'), 200).total).toBe(0)
  })

  it('of a number leaves no contact behind', async () => {
    const { total } = await profiles.list()
    expect(await answered({ to: '+972501110061', senderId: 'OTHER' })).toEqual(coded(400, 'sender_id_not_approved'))
    expect(await answered({ to: '12' })).toEqual(coded(400, 'invalid_phone'))
    expect((await profiles.list()).total).toBe(total)
  })
})

describe('a repeated send', () => {
  it('under one idempotency key is one message', async () => {
    const headers = { 'Idempotency-Key': 'sms-1' }
    const { messageId } = await accepted({ to: '+972501110070' }, headers)
    const again = await ask({ ...valid, to: '+972501110070' }, headers)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(dataOf(again, 202)).toEqual({ messageId })
    // The number is also in local form: the replay collides with nothing.
    const local = { to: '050-111-0071' }
    const first = await accepted(local, { 'Idempotency-Key': 'sms-2' })
    expect(dataOf(await ask({ ...valid, ...local }, { 'Idempotency-Key': 'sms-2' }), 202)).toEqual({ messageId: first.messageId })
  })
})
