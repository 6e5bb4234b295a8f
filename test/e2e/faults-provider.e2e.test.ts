import { type SmtpSink, startSmtpSink } from '@tidings/testing/smtp-sink'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { startWorld, type World } from './support/world.ts'

let sink: SmtpSink
let world: World
let acme: Client

beforeAll(async () => {
  sink = await startSmtpSink()
  // Many short waits: however long this machine takes to bring the provider back, there is a try left.
  const waits = Array.from({ length: 60 }, () => '1').join(',')
  world = await startWorld({ TIDINGS_EMAIL_PROVIDER: sink.url, TIDINGS_SEND_RETRY_SECONDS: waits })
  acme = await world.workspace('acme')
})
afterAll(async () => {
  await world.stop()
  await sink.stop()
})
afterEach(() => {
  for (const step of ['mail', 'rcpt', 'data'] as const) delete sink.answers[step]
  sink.mails.length = 0
})

type Waiting = Readonly<{ attempt: number; held: boolean; minutes: number }>
/** What waits: how often it was tried, whether somebody is at it, and for how long it is put off. */
const waiting = async (): Promise<readonly Waiting[]> => {
  const { rows } = await world.stores.pool.query<Waiting>(
    `select attempt, token is not null as held, round(extract(epoch from due_at - clock_timestamp()) / 60)::int as minutes
     from inbox.job where kind = 'send-email'`,
  )
  return rows
}
const cutEverything = (): undefined => {
  for (const socket of sink.sockets()) socket.destroy()
}

const messageIds = (): readonly (string | undefined)[] => sink.mails.map(({ raw }) => /^Message-ID: <([^@.]*)/im.exec(raw)?.[1])

describe('a provider', () => {
  it('that is away keeps messages queued, and they are sent once it is back', async () => {
    await sink.stop()
    const ids = await Promise.all(Array.from({ length: 12 }, (_, n) => acme.send(`away-${n}@example.com`)))
    await eventually(waiting, (jobs) => jobs.length === ids.length && jobs.every(({ attempt, held }) => attempt === 0 && !held))
    for (const id of ids) await acme.messageWith(id, 'queued')
    await sink.start()
    for (const id of ids) await acme.messageWith(id, 'sent')
    expect(messageIds().toSorted()).toEqual(ids.toSorted())
  })

  it('that asks to come back later gets the same message under the same Message-ID', async () => {
    const asked: string[] = []
    sink.answers.data = ({ raw }) => {
      asked.push(/^Message-ID: (.*)\r$/im.exec(raw)?.[1] ?? '')
      return asked.length < 3 ? { code: 451, message: '4.7.1 greylisted' } : undefined
    }
    const id = await acme.send('grey@example.com')
    await acme.messageWith(id, 'sent')
    expect(asked).toHaveLength(3)
    expect(new Set(asked).size).toBe(1)
    expect(messageIds()).toEqual([id])
  })

  it('that refuses the recipient bounces the message, and the next one to that address is suppressed', async () => {
    sink.answers.rcpt = () => ({ code: 550, message: '5.1.1 no such user' })
    const first = await acme.send('gone@example.com')
    expect(await acme.messageWith(first, 'bounced')).toMatchObject({ failureReason: 'hard_bounce' })
    const profile = () => acme.request('GET', '/public/profiles/lookup?email=gone@example.com')
    await eventually(profile, ({ body }) => (body.data as { emailSuppressed: boolean }).emailSuppressed)
    delete sink.answers.rcpt
    await acme.messageWith(await acme.send('gone@example.com'), 'suppressed')
    expect(sink.mails).toHaveLength(0)
  })

  it('that refuses us fails the message and says so', async () => {
    sink.answers.mail = () => ({ code: 550, message: 'relaying denied' })
    const id = await acme.send('unknown@example.com')
    expect(await acme.messageWith(id, 'failed')).toMatchObject({ failureReason: 'provider_rejected' })
  })

  it('that cuts the connection before it has a message gets it again at once', async () => {
    let calls = 0
    sink.answers.rcpt = () => (calls++ === 0 ? cutEverything() : undefined)
    const id = await acme.send('cut@example.com')
    await acme.messageWith(id, 'sent')
    expect(calls).toBe(2)
    expect(messageIds()).toEqual([id])
  })

  it('that cuts it when it has the message and has not answered gets it again after 10 minutes, and not before', async () => {
    sink.answers.data = cutEverything
    const id = await acme.send('unanswered@example.com')
    await eventually(waiting, ([job]) => job?.attempt === 1 && !job.held)
    expect(await waiting()).toEqual([{ attempt: 1, held: false, minutes: 10 }])
    await acme.messageWith(id, 'queued')
    expect(messageIds()).toEqual([id])
  })
})
