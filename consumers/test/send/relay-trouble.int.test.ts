import { asMessageId, type MessageId, messageStream } from '@tidings/domain'
import { until } from '@tidings/testing'
import { startSmtpSink } from '@tidings/testing/smtp-sink'
import { beforeEach, describe, expect, test } from 'vitest'
import { EVERY_JOB } from '../testing/every-job.ts'
import { announceWaiting, makeAllDue } from '../testing/make-due.ts'
import { WORKSPACE } from '../testing/rig.ts'
import { db, rig, setUpSending, sink } from '../testing/sending.ts'

setUpSending()

const ends = (messageId: MessageId, ...events: string[]) =>
  until(async () => expect(await rig.eventsOf(messageId)).toEqual(['EmailAccepted', ...events]))
const jobs = async () =>
  (await db.pool.query<{ attempt: number; claimed: boolean }>(`select attempt, token is not null as claimed from ${EVERY_JOB}`)).rows
const accept = async (to = 'ada@example.com') => {
  const contactId = await rig.newContact(to)
  return { contactId, messageId: asMessageId(await rig.accept(contactId, { to })) }
}
const messageIdsSent = () => sink.mails.map(({ raw }) => /^Message-ID: <([^@.]+)[^@]*@/m.exec(raw)?.[1])

describe('trouble of the relay costs no contact anything', () => {
  test.each([
    ['rcpt', 554, '5.7.1 <ada@example.com>: Relay access denied'],
    ['rcpt', 550, 'relay not permitted'],
    ['data', 552, '5.3.4 Error: message file too big'],
    ['data', 550, '5.6.7 SMTPSEND.Utf8; UTF-8 recipient address not supported'],
    ['mail', 530, '5.7.0 Authentication Required'],
  ] as const)('%s: %i %s', async (step, code, text) => {
    sink.answers[step] = () => ({ code, message: text })
    await rig.consume(sink.url)
    const { contactId, messageId } = await accept()
    await ends(asMessageId(messageId), 'MessageFailed')
    expect(await rig.messageOf(asMessageId(messageId))).toMatchObject({ status: 'failed', failureReason: 'provider_rejected' })
    await until(async () => expect(await jobs()).toEqual([]))
    expect(await rig.contactOf(contactId)).toMatchObject({
      suppressions: { email: [] },
      consents: { email: 'never_subscribed' },
      emailValidation: 'unknown',
    })
  })

  test('whose words end in the middle of an emoji is recorded, and so is its outcome', async () => {
    const text = `5.1.1 ${'x'.repeat(489)}🎉 ${'y'.repeat(100)}`
    expect(`550 ${text}`.slice(0, 500).isWellFormed()).toBe(false)
    sink.answers.rcpt = () => ({ code: 550, message: text })
    await rig.consume(sink.url)
    await ends((await accept()).messageId, 'MessageBounced')
  })

  test('a full mailbox is asked again, and in the end a soft bounce', async () => {
    sink.answers.rcpt = () => ({ code: 552, message: '5.2.2 Mailbox is full' })
    await rig.consume(sink.url, { retryDelaysMs: [1, 1] })
    const { contactId, messageId } = await accept()
    await ends(asMessageId(messageId), 'MessageBounced')
    expect((await rig.messageOf(asMessageId(messageId))).failureReason).toBe('soft_bounce')
    expect(await rig.contactOf(contactId)).toMatchObject({ suppressions: { email: [] }, consents: { email: 'never_subscribed' } })
  })
})

describe('an outage of the relay', () => {
  const logged: (string | null)[] = []
  const onOutage = (why: string | null): void => void logged.push(why)
  beforeEach(() => void logged.splice(0))

  test('uses up no try, is reported once, pauses what comes meanwhile, and is over by itself', async () => {
    await sink.stop()
    await rig.consume(sink.url, { retryDelaysMs: [] }, { onOutage })
    const before = await Promise.all(Array.from({ length: 20 }, (_, n) => accept(`before${n}@example.com`)))
    await until(() => expect(logged).toEqual([expect.stringContaining('ECONNREFUSED')]))
    const meanwhile = await Promise.all(Array.from({ length: 20 }, (_, n) => accept(`meanwhile${n}@example.com`)))
    // Everything is admitted, and nothing is in anybody's hands.
    await until(async () => expect(await jobs()).toEqual(Array.from({ length: 40 }, () => ({ attempt: 0, claimed: false }))))
    await sink.start()
    for (const { messageId } of [...before, ...meanwhile]) await ends(asMessageId(messageId), 'MessageSent')
    expect(sink.mails).toHaveLength(40)
    expect(logged).toEqual([expect.any(String), null])
  })

  test.each([
    [
      'a refused login',
      { allowInsecureAuth: true, onAuth: (_: unknown, __: unknown, done: (e: Error) => void) => done(new Error('who?')) },
    ],
    ['a refusing greeting', { maxClients: 0.5 }],
  ])('%s fails no message', async (_, options) => {
    const refusing = await startSmtpSink(options)
    await rig.consume(refusing.url.replace('://', '://shop:secret@'), { retryDelaysMs: [] }, { onOutage })
    const { messageId } = await accept()
    await until(() => expect(logged).toHaveLength(1))
    await until(async () => expect(await jobs()).toEqual([{ attempt: 0, claimed: false }]))
    expect(await rig.eventsOf(asMessageId(messageId))).toEqual(['EmailAccepted'])
    await refusing.stop()
  })
})

describe('a relay that is slow to answer a mail', () => {
  test('is waited for, and gets the mail once', async () => {
    const gate = Promise.withResolvers<undefined>()
    sink.answers.data = () => gate.promise
    await rig.consume(sink.url, {}, { callMs: 2_000 })
    const { messageId } = await accept()
    await ends(asMessageId(messageId), 'MessageUnconfirmed')
    gate.resolve(undefined)
    await ends(asMessageId(messageId), 'MessageUnconfirmed', 'MessageSent')
    expect(messageIdsSent()).toEqual([messageId])
    await until(async () => expect(await jobs()).toEqual([]))
  })

  test('and hangs up before it has answered: the mail is sent once more, under the same Message-ID, and then no more', async () => {
    let mails = 0
    sink.answers.data = () => {
      mails++
      for (const connection of sink.sockets()) connection.destroy()
      return undefined
    }
    await rig.consume(sink.url, { unconfirmedMs: 1_000 })
    const { messageId } = await accept()
    await ends(asMessageId(messageId), 'MessageUnconfirmed', 'MessageFailed')
    expect(mails).toBe(2)
    expect(new Set(messageIdsSent())).toEqual(new Set([messageId]))
    expect(await rig.messageOf(asMessageId(messageId))).toMatchObject({ failureReason: 'provider_unavailable' })
    const events = await rig.log.readStream(WORKSPACE, messageStream(WORKSPACE, asMessageId(messageId)))
    const [unconfirmed, failed] = events.slice(1).map(({ meta }) => Date.parse(meta.at))
    expect((failed ?? 0) - (unconfirmed ?? 0)).toBeGreaterThanOrEqual(1_000)
  })

  test('and of a process that stops meanwhile: the next one waits, whatever became of the job, and sends it once more', async () => {
    sink.answers.data = () => new Promise(() => undefined)
    const first = await rig.consume(sink.url, {}, { callMs: 2_000 })
    const { messageId } = await accept()
    await ends(asMessageId(messageId), 'MessageUnconfirmed')
    await sink.stop()
    await first.stop()
    // This is the state after a crash of Postgres, or a restore: the inbox knows nothing of the first attempt.
    await db.pool.query('update inbox.job set attempt = 0, token = null, due_at = now()')
    await announceWaiting(db.pool)
    delete sink.answers.data
    await sink.start()
    const second = await rig.consume(sink.url)
    await until(async () => expect(await jobs()).toEqual([{ attempt: 1, claimed: false }]))
    expect(sink.mails).toEqual([])
    await second.stop()
    await rig.consume(sink.url, { unconfirmedMs: 1 })
    await makeAllDue(db.pool)
    await ends(asMessageId(messageId), 'MessageUnconfirmed', 'MessageSent')
    expect(messageIdsSent()).toEqual([messageId])
  })
})
