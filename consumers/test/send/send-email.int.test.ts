import { asContactId, asMessageId, type MessageId } from '@tidings/domain'
import { listDeadLetters } from '@tidings/jobs'
import { until } from '@tidings/testing'
import { describe, expect, test } from 'vitest'
import { EVERY_JOB } from '../testing/every-job.ts'
import { makeAllDue } from '../testing/make-due.ts'
import { WORKSPACE } from '../testing/rig.ts'
import { db, rig, setUpSending, sink } from '../testing/sending.ts'

setUpSending()

const ends = (messageId: MessageId, ...events: string[]) =>
  until(async () => expect(await rig.eventsOf(messageId)).toEqual(['EmailAccepted', ...events]))
const subjectsSent = () => sink.mails.map(({ raw }) => /^Subject: (.*)$/m.exec(raw)?.[1]?.trim())
const waitingJobs = async () => (await db.pool.query<{ attempt: number }>(`select attempt from ${EVERY_JOB} order by seq`)).rows

describe('accepted mail', () => {
  test('is sent, and the log says so with the provider’s id', async () => {
    const contactId = await rig.newContact('ada@example.com')
    await rig.consume(sink.url)
    const messageId = asMessageId(await rig.accept(contactId, { subject: 'Your code' }))
    await ends(messageId, 'MessageSent')
    expect(await rig.messageOf(messageId)).toMatchObject({
      status: 'sent',
      providerMessageId: expect.stringMatching(new RegExp(`^${messageId}\\.[0-9a-z]{25}@`)),
    })
    expect(subjectsSent()).toEqual(['Your code'])
    await until(async () => expect(await waitingJobs()).toEqual([]))
  })

  test('that waited before anybody ran is sent too', async () => {
    const messageId = asMessageId(await rig.accept(await rig.newContact('ada@example.com'), {}))
    await rig.consume(sink.url)
    await ends(messageId, 'MessageSent')
  })

  test('with large content is read from the content store', async () => {
    const contactId = await rig.newContact('ada@example.com')
    const large = { subject: 'Large', html: `<p>${'x'.repeat(40_000)}</p>`, text: null }
    const contentId = await rig.content.put(WORKSPACE, `contact:${contactId}`, large)
    await rig.consume(sink.url)
    await ends(asMessageId(await rig.accept(contactId, { contentId })), 'MessageSent')
    expect(subjectsSent()).toEqual(['Large'])
  })

  test('whose content is gone has expired', async () => {
    await rig.consume(sink.url)
    const messageId = asMessageId(await rig.accept(await rig.newContact('ada@example.com'), { contentId: crypto.randomUUID() }))
    await ends(messageId, 'MessageFailed')
    expect((await rig.messageOf(messageId)).failureReason).toBe('expired')
  })

  test('of one contact leaves in order, while others overtake it', async () => {
    const slow = await rig.newContact('slow@example.com')
    const quick = await rig.newContact('quick@example.com')
    await rig.consume(sink.url)
    for (let n = 1; n <= 8; n++) {
      await rig.accept(slow, { to: 'slow@example.com', subject: `slow ${n}` })
      await rig.accept(quick, { to: 'quick@example.com', subject: `quick ${n}` })
    }
    await until(async () => expect(sink.mails).toHaveLength(16))
    const of = (who: string) => subjectsSent().filter((subject) => subject?.startsWith(who))
    expect(of('slow')).toEqual(Array.from({ length: 8 }, (_, n) => `slow ${n + 1}`))
    expect(of('quick')).toEqual(Array.from({ length: 8 }, (_, n) => `quick ${n + 1}`))
  })

  test('is sent once, however often its event is read again', async () => {
    const messageId = asMessageId(await rig.accept(await rig.newContact('ada@example.com'), {}))
    const first = await rig.consume(sink.url)
    await ends(messageId, 'MessageSent')
    await first.stop()
    await db.pool.query('delete from ops.consumer_checkpoint')
    await rig.consume(sink.url)
    const next = asMessageId(await rig.accept(await rig.newContact('bob@example.com'), { to: 'bob@example.com' }))
    await ends(next, 'MessageSent')
    await until(async () => expect(await waitingJobs()).toEqual([]))
    expect(sink.mails).toHaveLength(2)
  })
})

describe('the gates', () => {
  test.each(['hard_bounce', 'invalid_address', 'global_blocklist'] as const)('%s suppresses', async (reason) => {
    await rig.consume(sink.url)
    const messageId = asMessageId(await rig.accept(await rig.newContact('ada@example.com', [reason]), {}))
    await ends(messageId, 'MessageSuppressed')
    expect(await rig.messageOf(messageId)).toMatchObject({ status: 'suppressed', failureReason: reason })
    expect(sink.mails).toEqual([])
  })

  test('what only stops marketing does not', async () => {
    await rig.consume(sink.url)
    const contactId = await rig.newContact('ada@example.com', ['spam_complaint', 'soft_bounce', 'list_cleanup'])
    await ends(asMessageId(await rig.accept(contactId, {})), 'MessageSent')
  })

  test('a suppression that comes while mail waits counts', async () => {
    sink.answers.rcpt = () => ({ code: 451, message: '4.7.1 greylisted' })
    await rig.consume(sink.url)
    const contactId = await rig.newContact('ada@example.com')
    const messageId = asMessageId(await rig.accept(contactId, {}))
    await until(async () => expect(await waitingJobs()).toEqual([{ attempt: 1 }]))
    const command = { type: 'SuppressContact', data: { contactId, channels: ['email'], reason: 'global_blocklist' } } as const
    const { contact, contactStream } = await import('@tidings/domain')
    const context = { commandId: crypto.randomUUID(), workspaceId: WORKSPACE, actor: 'test', requestId: 'r', at: new Date().toISOString() }
    await rig.runner.execute({ decider: contact, stream: contactStream(WORKSPACE, contactId), command, context })
    delete sink.answers.rcpt
    await makeAllDue(db.pool)
    await ends(messageId, 'MessageSuppressed')
  })

  test('a sender that is no longer verified fails the message', async () => {
    await rig.configureSender(false)
    await rig.consume(sink.url)
    const messageId = asMessageId(await rig.accept(await rig.newContact('ada@example.com'), {}))
    await ends(messageId, 'MessageFailed')
    expect((await rig.messageOf(messageId)).failureReason).toBe('from_domain_not_verified')
  })

  test('a recipient that is not there fails the message', async () => {
    await rig.consume(sink.url)
    const messageId = asMessageId(await rig.accept(asContactId(crypto.randomUUID()), {}))
    await ends(messageId, 'MessageFailed')
    expect((await rig.messageOf(messageId)).failureReason).toBe('undeliverable')
  })
})

describe('what the server answers', () => {
  test('a refused recipient is a hard bounce, suppressed and cleaned', async () => {
    sink.answers.rcpt = () => ({ code: 550, message: '5.2.1 mailbox disabled' })
    await rig.consume(sink.url)
    const contactId = await rig.newContact('ada@example.com')
    const messageId = asMessageId(await rig.accept(contactId, {}))
    await ends(messageId, 'MessageBounced')
    expect(await rig.messageOf(messageId)).toMatchObject({ status: 'bounced', failureReason: 'hard_bounce' })
    await until(async () =>
      expect(await rig.contactOf(contactId)).toMatchObject({
        suppressions: { email: ['hard_bounce'] },
        consents: { email: 'cleaned' },
        emailValidation: 'unknown',
      }),
    )
  })

  test('an address that does not exist is also marked invalid', async () => {
    sink.answers.rcpt = () => ({ code: 550, message: '5.1.1 no such user' })
    await rig.consume(sink.url)
    const contactId = await rig.newContact('ada@example.com')
    await rig.accept(contactId, {})
    await until(async () =>
      expect(await rig.contactOf(contactId)).toMatchObject({
        suppressions: { email: ['hard_bounce', 'invalid_address'] },
        emailValidation: 'invalid',
      }),
    )
  })

  test('a bounce of an address that the contact has left says nothing about the new one', async () => {
    sink.answers.rcpt = () => ({ code: 550, message: '5.1.1 no such user' })
    await rig.consume(sink.url)
    const contactId = await rig.newContact('new@example.com')
    await ends(asMessageId(await rig.accept(contactId, { to: 'old@example.com' })), 'MessageBounced')
    await until(async () => expect(await waitingJobs()).toEqual([]))
    expect((await rig.contactOf(contactId)).suppressions.email).toEqual([])
  })

  test('a relay that refuses us fails the message and leaves the contact alone', async () => {
    sink.answers.mail = () => ({ code: 554, message: 'relaying denied' })
    await rig.consume(sink.url)
    const contactId = await rig.newContact('ada@example.com')
    const messageId = asMessageId(await rig.accept(contactId, {}))
    await ends(messageId, 'MessageFailed')
    expect((await rig.messageOf(messageId)).failureReason).toBe('provider_rejected')
    expect((await rig.contactOf(contactId)).suppressions.email).toEqual([])
  })

  test('what may pass is tried again on schedule, by the database’s clock', async () => {
    sink.answers.rcpt = () => ({ code: 451, message: '4.7.1 greylisted' })
    const { rows: began } = await db.pool.query<{ at: string }>('select clock_timestamp()::text as at')
    await rig.consume(sink.url)
    const messageId = asMessageId(await rig.accept(await rig.newContact('ada@example.com'), {}))
    await until(async () => expect(await waitingJobs()).toEqual([{ attempt: 1 }]))
    const { rows } = await db.pool.query<{ most: number; least: number }>(
      `select extract(epoch from due_at - $1::timestamptz)::float8 as most, extract(epoch from due_at - clock_timestamp())::float8 as least from inbox.job`,
      [began[0]?.at],
    )
    // It is tried between the two moments, which may lie far apart.
    expect(rows[0]?.most).toBeGreaterThan(27)
    expect(rows[0]?.least).toBeLessThanOrEqual(33)
    sink.answers.rcpt = () => undefined
    await makeAllDue(db.pool)
    await ends(messageId, 'MessageSent')
  })

  test('after the last try it is a soft bounce when the receiving server said so, without consequences', async () => {
    sink.answers.rcpt = () => ({ code: 452, message: '4.2.2 mailbox full' })
    await rig.consume(sink.url, { retryDelaysMs: [1, 1] })
    const contactId = await rig.newContact('ada@example.com')
    const messageId = asMessageId(await rig.accept(contactId, {}))
    await ends(messageId, 'MessageBounced')
    expect((await rig.messageOf(messageId)).failureReason).toBe('soft_bounce')
    expect(await rig.contactOf(contactId)).toMatchObject({ suppressions: { email: [] }, consents: { email: 'never_subscribed' } })
  })

  test('after the last try it is an absent provider when the relay said so before it heard of the recipient', async () => {
    sink.answers.mail = () => ({ code: 451, message: '4.3.0 try again later' })
    await rig.consume(sink.url, { retryDelaysMs: [1, 1] })
    const messageId = asMessageId(await rig.accept(await rig.newContact('ada@example.com'), {}))
    await ends(messageId, 'MessageFailed')
    expect((await rig.messageOf(messageId)).failureReason).toBe('provider_unavailable')
  })

  test('a provider that was down and is up again gets everything, each once', async () => {
    await sink.stop()
    await rig.consume(sink.url)
    const ids = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => rig.accept(await rig.newContact(`c${n}@example.com`), { to: `c${n}@example.com` })),
    )
    await until(async () => expect(await waitingJobs()).toHaveLength(20))
    await sink.start()
    await until(async () => {
      for (const id of ids) expect(await rig.eventsOf(asMessageId(id))).toEqual(['EmailAccepted', 'MessageSent'])
    })
    expect(sink.mails).toHaveLength(20)
    expect(await listDeadLetters(db.pool)).toEqual([])
  })
})
