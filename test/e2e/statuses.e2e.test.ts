import type { MessageRecord, Page } from '@tidings/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { outcome, uncoded } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { outboxOf } from './support/outbox.ts'
import { profilesOf } from './support/profiles.ts'
import { startWorld, type World } from './support/world.ts'

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const UNKNOWN = '00000000-0000-7000-8000-000000000000'

let world: World
let acme: Client
let profiles: ReturnType<typeof profilesOf>
let outbox: ReturnType<typeof outboxOf>

beforeAll(async () => {
  world = await startWorld()
  acme = await world.workspace('acme')
  profiles = profilesOf(acme)
  outbox = outboxOf(world)
})
afterAll(() => world.stop())

const record = async (id: string): Promise<MessageRecord> => (await acme.request('GET', `/public/messages/${id}`)).body.data

/** A message that was sent, what the outbox calls it, and whose it is. */
const sent = async (to: string) => {
  const messageId = await acme.send(to)
  await acme.messageWith(messageId, 'sent')
  return { messageId, outboxId: (await outbox.of(messageId)).id, contactId: (await profiles.lookup(to)).id }
}

const suppressionsOf = async (contactId: string): Promise<readonly string[]> => {
  const { rows } = await world.stores.pool.query<{ reasons: string[] }>(
    `select reasons from read.suppressions where contact_id = $1 and channel = 'email'`,
    [contactId],
  )
  return rows.flatMap(({ reasons }) => reasons)
}

describe('a message', () => {
  it('is queued, then sent, and its record says when', async () => {
    const { messageId } = await sent('ada@example.com')
    expect(await record(messageId)).toEqual({
      id: messageId,
      channel: 'email',
      status: 'sent',
      failureReason: null,
      providerMessageId: expect.any(String),
      queuedAt: expect.stringMatching(TIME),
      sentAt: expect.stringMatching(TIME),
      deliveredAt: null,
      updatedAt: expect.stringMatching(TIME),
    })
  })

  it('is listed newest first, whole pages and to the end', async () => {
    const ids = [await acme.send('list@example.com'), await acme.send('list@example.com'), await acme.send('list@example.com')]
    const page = async (query: string): Promise<Page<MessageRecord>> => (await acme.request('GET', `/public/messages${query}`)).body.data
    const first = await page('?limit=2')
    expect(first.items.map(({ id }) => id)).toEqual([ids[2], ids[1]])
    expect(first).toMatchObject({ limit: 2, offset: 0, has_more: true, next_cursor: '2' })
    expect((await page('?limit=2&offset=2')).items[0]?.id).toBe(ids[0])
    const { total } = first
    expect(await page(`?offset=${total}`)).toEqual({ items: [], limit: 50, offset: total, total, has_more: false, next_cursor: null })
  })

  it('is not found under an id that is none of ours', async () => {
    expect(outcome(await acme.request('GET', `/public/messages/${UNKNOWN}`))).toEqual(uncoded(404, 'Message not found'))
    expect(outcome(await acme.request('GET', '/public/messages/7'))).toEqual(uncoded(400, 'Validation failed (uuid is expected)'))
  })

  it.each(['page=1', 'status=sent', 'channel=email', 'from=2026-01-01'])('cannot be listed by %s', async (query) => {
    const name = query.split('=')[0]
    expect(outcome(await acme.request('GET', `/public/messages?${query}`))).toEqual(uncoded(400, `property ${name} should not exist`))
  })
})

describe('a report of the outbox', () => {
  it('that it was delivered makes the address valid', async () => {
    const { messageId, outboxId, contactId } = await sent('delivered@example.com')
    expect((await outbox.report(outboxId, { status: 'delivered' })).status).toBe(200)
    await expect
      .poll(() => record(messageId))
      .toMatchObject({ status: 'delivered', deliveredAt: expect.stringMatching(TIME), failureReason: null })
    const profile = await profiles.getWhen(contactId, ({ emailValidationState }) => emailValidationState === 'valid')
    expect(profile).toMatchObject({ emailSuppressed: false, emailConsent: 'never_subscribed' })
  })

  it('that it bounced cleans the consent and blocks the next message', async () => {
    const { messageId, outboxId, contactId } = await sent('bounced@example.com')
    await outbox.report(outboxId, { status: 'bounced', reason: 'mailbox full of eels' })
    await expect.poll(() => record(messageId)).toMatchObject({ status: 'bounced', failureReason: 'hard_bounce' })
    await profiles.getWhen(contactId, ({ emailSuppressed, emailConsent }) => emailSuppressed && emailConsent === 'cleaned')
    await expect.poll(() => suppressionsOf(contactId)).toEqual(['hard_bounce'])
    expect(await acme.messageWith(await acme.send('bounced@example.com'), 'suppressed', 'sent')).toMatchObject({
      status: 'suppressed',
      failureReason: 'hard_bounce',
    })
  })

  it('that the address does not exist marks it invalid', async () => {
    const { outboxId, contactId } = await sent('invalid@example.com')
    await outbox.report(outboxId, { status: 'bounced', reason: '550 5.1.1 no such user' })
    await profiles.getWhen(
      contactId,
      ({ emailValidationState, emailConsent }) => emailValidationState === 'invalid' && emailConsent === 'cleaned',
    )
    await expect.poll(() => suppressionsOf(contactId)).toEqual(['hard_bounce', 'invalid_address'])
  })

  it('that somebody complained unsubscribes them, and transactional mail still goes', async () => {
    await profiles.create({ email: 'complained@example.com', emailConsent: 'subscribed' })
    const { messageId, outboxId, contactId } = await sent('complained@example.com')
    await outbox.report(outboxId, { status: 'complained' })
    await expect.poll(() => record(messageId)).toMatchObject({ status: 'complained', failureReason: 'spam_complaint' })
    await profiles.getWhen(contactId, ({ emailSuppressed, emailConsent }) => emailSuppressed && emailConsent === 'unsubscribed')
    await expect.poll(() => suppressionsOf(contactId)).toEqual(['spam_complaint'])
    await sent('complained@example.com')
  })

  it('that it failed leaves the recipient alone', async () => {
    const { messageId, outboxId, contactId } = await sent('failed@example.com')
    await outbox.report(outboxId, { status: 'failed' })
    await expect.poll(() => record(messageId)).toMatchObject({ status: 'failed', failureReason: 'undeliverable' })
    expect(await profiles.get(contactId)).toMatchObject({ emailSuppressed: false, emailConsent: 'never_subscribed' })
  })

  it('that comes late or twice never moves the status back', async () => {
    const { messageId, outboxId } = await sent('late@example.com')
    await outbox.report(outboxId, { status: 'bounced' })
    const bounced = await record(messageId)
    expect((await outbox.report(outboxId, { status: 'delivered' })).body).toEqual({ outcome: 'applied' })
    expect((await outbox.report(outboxId, { status: 'delivered' })).body).toEqual({ outcome: 'repeated' })
    expect(await record(messageId)).toEqual(bounced)
    await outbox.report(outboxId, { status: 'complained' })
    await expect.poll(() => record(messageId)).toMatchObject({ status: 'complained' })
    await outbox.report(outboxId, { status: 'bounced' })
    await expect.poll(() => record(messageId)).toMatchObject({ status: 'complained', deliveredAt: null })
  })

  it('is refused for what is not there or not a status', async () => {
    const { outboxId } = await sent('refused@example.com')
    expect(await outbox.report(UNKNOWN, { status: 'delivered' })).toMatchObject({ status: 404 })
    expect(await outbox.report('7', { status: 'delivered' })).toMatchObject({ status: 400 })
    expect(await outbox.report(outboxId, { status: 'read' })).toMatchObject({ status: 400 })
    expect(await outbox.report(outboxId, { status: 'delivered', hard: true })).toMatchObject({
      status: 400,
      body: { message: 'property hard should not exist' },
    })
  })
})
