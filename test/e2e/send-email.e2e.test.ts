import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { coded, outcome, uncoded } from './support/answers.ts'
import { type Client, clientOf } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { outboxOf, type SentEmail } from './support/outbox.ts'
import { profilesOf } from './support/profiles.ts'
import { startWorld, type World } from './support/world.ts'

const UNKNOWN = '00000000-0000-7000-8000-000000000000'

const FILE = `
workspace: { slug: alpine, name: Alpine }
apiKeys: [{ name: test }]
senderDomains:
  - { domain: alpine.example, verified: true }
  - { domain: unproven.example, verified: false }
  - { domain: listed.example, verified: true, blocklisted: true }
senderAddresses:
  - { email: hello@alpine.example, name: Alpine Shop, verified: true }
  - { email: bare@alpine.example, verified: true }
  - { email: pending@alpine.example, verified: false }
  - { email: hello@unproven.example, verified: true }
  - { email: hello@listed.example, verified: true }
`

let world: World
let alpine: Client
let profiles: ReturnType<typeof profilesOf>
let outbox: ReturnType<typeof outboxOf>

beforeAll(async () => {
  world = await startWorld()
  alpine = clientOf({ url: world.url, applied: await world.apply(FILE), shown: world.settle })
  profiles = profilesOf(alpine)
  outbox = outboxOf(world)
})
afterAll(() => world.stop())

const manual = { fromEmail: 'hello@alpine.example', subject: 'Hello', html: '<p>Hi</p>' }

const answered = async (body: Readonly<Record<string, unknown>>) => outcome(await alpine.request('POST', '/public/messages/email', body))

const delivered = async (to: string, more: Readonly<Record<string, unknown>> = {}): Promise<SentEmail> => {
  const id = await alpine.send(to, more)
  await alpine.messageWith(id, 'sent')
  return outbox.of(id)
}

describe('the recipient', () => {
  it('is found by address in any case, and made where it is unknown', async () => {
    const known = await profiles.create({ email: 'known@example.com' })
    expect(await delivered(' Known@Example.com ')).toMatchObject({ to: 'known@example.com' })
    expect(await delivered('unseen@example.com')).toMatchObject({ to: 'unseen@example.com' })
    const { items } = await profiles.list('?search=known@example.com')
    expect(items.map(({ id }) => id)).toEqual([known.id])
    expect(await profiles.lookup('unseen@example.com')).toMatchObject({ emailConsent: 'never_subscribed', tags: [], customProperties: {} })
  })

  it('is contactId where both are given, and then no contact is made of the address', async () => {
    const { id } = await profiles.create({ email: 'by-id@example.com' })
    expect(await delivered('ignored@example.com', { contactId: id })).toMatchObject({ to: 'by-id@example.com' })
    expect(outcome(await alpine.request('GET', '/public/profiles/lookup?email=ignored@example.com'))).toEqual(
      uncoded(404, 'Profile not found'),
    )
  })

  it('must be known by its id, have an address, and be named at all', async () => {
    const { id } = await profiles.create({ phone: '+972501000001' })
    expect(await answered({ ...manual, contactId: UNKNOWN })).toEqual(uncoded(404, 'Contact not found'))
    expect(await answered({ ...manual, contactId: id })).toEqual(coded(400, 'recipient_email_missing'))
    expect(await answered(manual)).toEqual(uncoded(400, 'to or contactId is required'))
    expect(await answered({ ...manual, to: 'no address' })).toEqual(uncoded(400, 'to must be an email'))
  })

  it('gets transactional mail whatever they said about marketing', async () => {
    await profiles.create({ email: 'unsubscribed@example.com', emailConsent: 'unsubscribed' })
    expect(await delivered('unsubscribed@example.com')).toMatchObject({ to: 'unsubscribed@example.com' })
  })

  it('gets nothing while blacklisted, and the record says why', async () => {
    await profiles.create({ email: 'blocked@example.com' })
    await profiles.blacklist({ email: 'blocked@example.com', channel: 'email' })
    const id = await alpine.send('blocked@example.com')
    expect(await alpine.messageWith(id, 'suppressed', 'sent')).toMatchObject({
      status: 'suppressed',
      failureReason: 'global_blocklist',
      sentAt: null,
      providerMessageId: null,
    })
    expect(await outbox.list('?to=blocked@example.com')).toEqual([])
    await profiles.lift({ email: 'blocked@example.com', channel: 'email' })
    expect(await delivered('blocked@example.com')).toMatchObject({ to: 'blocked@example.com' })
  })

  it('gets mail while only their SMS is blocked', async () => {
    await profiles.create({ email: 'sms-blocked@example.com' })
    await profiles.blacklist({ email: 'sms-blocked@example.com', channel: 'sms' })
    expect(await delivered('sms-blocked@example.com')).toMatchObject({ to: 'sms-blocked@example.com' })
  })
})

describe('the sender', () => {
  it.each([
    ['hello@elsewhere.example', 'from_domain_not_verified'],
    ['hello@unproven.example', 'from_domain_not_verified'],
    ['hello@sub.alpine.example', 'from_domain_not_verified'],
    ['hello@listed.example', 'from_domain_blacklisted'],
    ['unknown@listed.example', 'from_domain_blacklisted'],
    ['pending@alpine.example', 'sender_inbox_not_verified'],
    ['unknown@alpine.example', 'sender_inbox_not_verified'],
  ])('%s is refused: %s', async (fromEmail, code) => {
    expect(await answered({ ...manual, to: 'known@example.com', fromEmail })).toEqual(coded(400, code))
  })

  it('that is refused may leave the contact, which a retry reuses, and never a message', async () => {
    const { total } = await messages()
    const bad = { ...manual, to: 'left-behind@example.com', fromEmail: 'unknown@alpine.example' }
    expect(await answered(bad)).toEqual(coded(400, 'sender_inbox_not_verified'))
    expect(await answered(bad)).toEqual(coded(400, 'sender_inbox_not_verified'))
    // A refusal waits for no projection; what is written after it is shown after it.
    await profiles.upsert({ email: 'left-behind@example.com', lastName: 'Later' })
    const left = await eventually(
      () => profiles.list('?search=left-behind'),
      ({ items }) => items.some(({ lastName }) => lastName === 'Later'),
    )
    expect(left.total).toBe(1)
    expect((await messages()).total).toBe(total)
  })

  it('is judged after the recipient and before the template', async () => {
    const fromEmail = 'unknown@alpine.example'
    expect(await answered({ contactId: UNKNOWN, fromEmail, templateId: UNKNOWN })).toEqual(uncoded(404, 'Contact not found'))
    expect(await answered({ to: 'known@example.com', fromEmail, templateId: UNKNOWN })).toEqual(coded(400, 'sender_inbox_not_verified'))
  })

  it('is named as the request says, else as the address is configured, else by the bare address', async () => {
    expect((await delivered('known@example.com', { fromName: 'Support, "Alpine"' })).headers.From).toBe(
      '"Support, \\"Alpine\\"" <hello@alpine.example>',
    )
    expect((await delivered('known@example.com', { fromEmail: ' HELLO@Alpine.example' })).headers.From).toBe(
      'Alpine Shop <hello@alpine.example>',
    )
    expect((await delivered('known@example.com', { fromName: '' })).headers.From).toBe('Alpine Shop <hello@alpine.example>')
    expect((await delivered('known@example.com', { fromEmail: 'bare@alpine.example' })).headers.From).toBe('<bare@alpine.example>')
  })

  it('is listed exactly when it passes', async () => {
    const { body } = await alpine.request('GET', '/public/sender-addresses')
    expect(body.data).toEqual({
      items: [
        { value: 'hello@alpine.example', label: 'Alpine Shop <hello@alpine.example>', fromName: 'Alpine Shop' },
        { value: 'bare@alpine.example', label: 'bare@alpine.example', fromName: null },
      ],
      limit: 50,
      offset: 0,
      total: 2,
      has_more: false,
      next_cursor: null,
    })
  })
})

const messages = async (): Promise<Readonly<{ total: number }>> => (await alpine.request('GET', '/public/messages')).body.data
