import { twoSpellingsOfAMobile, twoSpellingsOfAnEmail } from '@tidings/addresses/testing'
import type { Profile } from '@tidings/contracts'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { coded, dataOf, outcome, uncoded } from './support/answers.ts'
import { type Client, clientOf } from './support/client.ts'
import { formOf, SHOP } from './support/forms.ts'
import { outboxOf } from './support/outbox.ts'
import { SENDERS } from './support/passcodes.ts'
import { profilesOf } from './support/profiles.ts'
import { startWorld, type World } from './support/world.ts'

const NFC = 'caf\u00e9'
const NFD = 'cafe\u0301'

const FILE = `
credits: 1000
features: [embedded_forms]
formOrigins: ["${SHOP}"]
${SENDERS}
customFields: [{ key: "${NFD}", label: Drink, kind: text }]
lists:
  - { name: VIP, type: static }
  - { name: Drinkers, type: dynamic, rule: { all: [{ field: "customProperties.${NFD}", op: eq, value: "${NFD}" }, { field: tags, op: contains, value: "${NFD}" }] } }
  - { name: One, type: dynamic, rule: { field: email, op: in, value: ["RULE@ＢÜCHER。example"] } }
templates:
  - { name: confirm, channel: email, subject: Please confirm, html: "<a href=\\"{{confirmUrl}}\\">Yes</a>" }
  - { name: drink, channel: email, subject: "{{${NFD}}}", html: "<p>{{custom.${NFC}}}</p>" }
forms: [{ id: "${NFD}", list: VIP, doubleOptIn: true, template: confirm, from: "hello@SLUG.example" }]`

/** The senders of `world.workspace`, and one whose domain is international. */
const withSenders = (slug: string): string => `workspace: { slug: ${slug}, name: ${slug} }
apiKeys: [{ name: test }]
senderDomains: [{ domain: ${slug}.example, verified: true }, { domain: XN--BCHER-KVA.example, verified: true }]
senderAddresses:
  - { email: hello@${slug}.example, name: Hello, verified: true }
  - { email: "Läden@bu\u0308cher。example", verified: true }
${FILE.replace('SLUG', slug)}`

let world: World
let acme: Client
let profiles: ReturnType<typeof profilesOf>
let form: ReturnType<typeof formOf>

beforeAll(async () => {
  world = await startWorld({ TIDINGS_RATE_LIMIT_FORMS: 'off', TIDINGS_FORM_CONFIRMATIONS_PER_HOUR: '1000' })

  acme = clientOf({ url: world.url, applied: await world.apply(withSenders('spelled')), shown: world.settle })
  profiles = profilesOf(acme)
  form = formOf(acme)
})
afterAll(() => world.stop())

const contactIdOf = async (path: string, body: Readonly<Record<string, unknown>>) =>
  dataOf<{ contactId: string }>(await acme.request('POST', path, body), 200).contactId

describe('two spellings of an address', () => {
  it('are one contact to every route', async () => {
    await fc.assert(
      fc.asyncProperty(twoSpellingsOfAnEmail, async ({ one, other }) => {
        const { id, email } = await profiles.upsert({ email: one })
        expect(await profiles.upsert({ email: other, firstName: 'Ada' })).toMatchObject({ id, email })
        expect(outcome(await acme.request('POST', '/public/profiles', { email: other }))).toEqual(coded(409, 'contact_email_taken'))
        expect((await profiles.lookup(other)).id).toBe(id)
        expect((await profiles.patchByEmail({ email: other, newEmail: one })).email).toBe(email)
        expect(await contactIdOf('/events/ingest', { event: 'seen', email: other })).toBe(id)
        const added = await acme.request('POST', `/public/lists/${acme.applied.lists.VIP}/members`, { emails: [one, other] })
        expect(dataOf<{ added: number }>(added, 200).added).toBe(1)
        const removed = await acme.request('DELETE', `/public/lists/${acme.applied.lists.VIP}/members`, { emails: [other] })
        expect(dataOf<{ removed: number }>(removed, 200).removed).toBe(1)
        const { items } = await profiles.list(`?search=${encodeURIComponent(other)}`)
        expect(items.map((found) => found.id)).toEqual([id])
        expect((await profiles.blacklist({ email: other, channel: 'email' })).id).toBe(id)
        await acme.messageWith(await acme.send(one), 'suppressed')
        expect((await profiles.lift({ email: one, channel: 'email' })).emailSuppressed).toBe(false)
      }),
      { numRuns: 25 },
    )
  })

  it('are sent to in the form that is shown, and answered from it', async () => {
    const id = await acme.send('Victim@ｇmail.example', { fromEmail: 'LÄDEN@xn--bcher-kva.example', replyTo: 'Zoë@BÜCHER.example' })
    await acme.messageWith(id, 'sent')
    expect(await outboxOf(world).of(id)).toMatchObject({
      to: 'victim@gmail.example',
      from: expect.stringContaining('läden@bücher.example'),
    })
    expect((await outboxOf(world).list('?channel=email&to=VICTIM%40gmail%E3%80%82example')).map((mail) => mail.to)).toContain(
      'victim@gmail.example',
    )
  })

  it('are one mailbox to a form that asks to confirm: three mails a day', async () => {
    const spellings = [
      'box@münchen.example',
      'box@mu\u0308nchen.example',
      'BOX@XN--MNCHEN-3YA.example',
      'box@münchen。example',
      'box+a@münchen.example',
    ]
    for (const email of [...spellings, ...spellings]) await form.subscribe({ email, formId: NFC })
    const mails = async () => (await outboxOf(world).list('?channel=email')).filter(({ to }) => to.endsWith('@münchen.example'))
    await expect.poll(async () => (await mails()).length).toBe(3)
    const { status, body } = await form.subscribe({ email: 'box@mün\u00adchen.example', formId: NFD })
    expect([status, body.data.pending]).toEqual([200, true])
    const id = await acme.send('after@example.com')
    await acme.messageWith(id, 'sent')
    expect(await mails()).toHaveLength(3)
  })

  it.each([
    'a@xn--a.example',
    'a@b_c.example',
    'a@b.example.',
    'a＠b.example',
    'a\u200b@b.example',
    'a@א1a.example',
    '"a b"@c.example',
    'a@[127.0.0.1]',
  ])('of which %j is none, are refused where one is stored and not found where one is looked up', async (email) => {
    expect(outcome(await acme.request('PUT', '/public/profiles', { email }))).toEqual(uncoded(400, 'email must be an email'))
    expect((await form.subscribe({ email })).status).toBe(400)
    expect((await acme.request('GET', `/public/profiles/lookup?email=${encodeURIComponent(email)}`)).status).toBe(404)
    expect((await acme.request('POST', '/public/profiles/blacklist', { email, channel: 'email' })).status).toBe(404)
  })
})

describe('two spellings of a number', () => {
  it('are one contact', async () => {
    await fc.assert(
      fc.asyncProperty(twoSpellingsOfAMobile, async ({ one, other }) => {
        const { id, phone } = await profiles.upsert({ phone: one })
        expect(phone).toMatch(/^\+9725\d{8}$/)
        expect(await profiles.upsert({ phone: other })).toMatchObject({ id, phone })
        expect(outcome(await acme.request('POST', '/public/profiles', { phone: other }))).toEqual(coded(409, 'contact_phone_taken'))
        expect(await contactIdOf('/events/ingest', { event: 'seen', phone: other })).toBe(id)
      }),
      { numRuns: 15 },
    )
  })

  it('are one number to the cap of passcodes', async () => {
    const spellings = [
      '+972541000001',
      '00972 54-1000001',
      '\u200e+972 (0)54\u20111000001',
      '+972٥٤١٠٠٠٠٠١',
      '＋９７２５４１０００００１',
      '+9720541000001',
    ]
    const statuses: number[] = []
    for (const phone of spellings) statuses.push((await acme.request('POST', '/otp/send', { phone })).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
  })

  it.each(['0541000002', '972541000002', '٠٥٤١٠٠٠٠٠٢', '\u200e0541000002', '(0)541000002', '+972541000002;ext=1', '+972541000002x12'])(
    'of which %j is completed by no passcode',
    async (phone) => {
      expect(outcome(await acme.request('POST', '/otp/send', { phone }))).toEqual(uncoded(400, 'A valid mobile phone number is required'))
    },
  )
})

describe('two spellings of a text', () => {
  it('are one tag, one property, one form, one merge tag, and one value to a rule', async () => {
    const { id } = await profiles.create({ email: 'drinker@example.com', tags: [NFD], customProperties: { [NFD]: NFD } })
    expect(await profiles.get(id)).toMatchObject({ tags: [NFC], customProperties: { [NFC]: NFC } })
    expect(await profiles.patch(id, { customProperties: { [NFD]: null } })).toMatchObject({ customProperties: {} })
    await profiles.patch(id, { customProperties: { [NFC]: NFC } })
    const inList = async () => (await profiles.list(`?segmentId=${acme.applied.lists.Drinkers}`)).items.map((found: Profile) => found.id)
    await expect.poll(inList).toEqual([id])
    expect((await acme.request('POST', '/public/tags', { name: NFC })).status).toBe(201)
    expect(outcome(await acme.request('POST', '/public/tags', { name: NFD }))).toEqual(coded(409, 'tag_name_taken'))
    const sent = await acme.send('drinker@example.com', {
      subject: undefined,
      html: undefined,
      contentMode: 'template',
      templateId: acme.applied.templates.drink,
      templateFields: { [NFD]: 'Tea' },
    })
    await acme.messageWith(sent, 'sent')
    expect(await outboxOf(world).of(sent)).toMatchObject({ subject: 'Tea', html: expect.stringContaining(NFC) })
  })

  it('are one address to a rule', async () => {
    const { id } = await profiles.create({ email: 'rule@bücher.example' })
    await expect
      .poll(async () => (await profiles.list(`?segmentId=${acme.applied.lists.One}`)).items.map((found) => found.id))
      .toEqual([id])
  })

  it('are found by a search', async () => {
    const { id } = await profiles.create({ firstName: `Zo${'e\u0308'}`, lastName: NFD })
    for (const search of ['zoë', 'Zoe\u0308', NFC, NFD.toUpperCase()])
      expect((await profiles.list(`?search=${encodeURIComponent(search)}`)).items.map((found) => found.id)).toContain(id)
  })

  it('stay as they were sent in content', async () => {
    const id = await acme.send('content@example.com', { subject: NFD, html: `<p>${NFD}</p>` })
    await acme.messageWith(id, 'sent')
    expect(await outboxOf(world).of(id)).toMatchObject({ subject: NFD, html: expect.stringContaining(NFD) })
  })
})
