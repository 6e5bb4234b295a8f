import type { EventLog } from '@tidings/codec'
import { asMessageId } from '@tidings/domain'
import { InvalidAppend, Unavailable } from '@tidings/event-store'
import { listDeadLetters } from '@tidings/jobs'
import { until } from '@tidings/testing'
import type { Pool } from 'pg'
import { expect, test } from 'vitest'
import { EVERY_JOB } from '../testing/every-job.ts'
import { announceWaiting, makeAllDue } from '../testing/make-due.ts'
import { db, rig, setUpSending, sink } from '../testing/sending.ts'

const MAILS = 12

setUpSending()

type Gate = { closed: boolean; asked: number; answered: number }
const gate = (): Gate => ({ closed: false, asked: 0, answered: 0 })
/** Throws as a store that is away while its gate is closed. */
const behind =
  <Args extends readonly unknown[], Result>(gate: Gate, call: (...args: Args) => Promise<Result>) =>
  async (...args: Args): Promise<Result> => {
    gate.asked++
    if (gate.closed) throw new Unavailable('the log is away')
    const result = await call(...args)
    gate.answered++
    return result
  }

/** The log as one process sees it: outcomes are appended, and histories read, through gates. */
const gatedLog = () => {
  const appends = gate()
  const reads = gate()
  const isMessage = (stream: string): boolean => stream.startsWith('message-')
  const append = behind(appends, rig.log.append)
  const readStream = behind(reads, rig.log.readStream as EventLog['readStream'])
  const log: EventLog = {
    ...rig.log,
    append: (stream, ...rest) => (isMessage(stream) ? append(stream, ...rest) : rig.log.append(stream, ...rest)),
    readStream: ((workspaceId, stream, options) =>
      isMessage(stream)
        ? readStream(workspaceId, stream, options)
        : rig.log.readStream(workspaceId, stream, options)) as EventLog['readStream'],
  }
  return { log, appends, reads }
}

const acceptAll = async (count: number): Promise<readonly string[]> =>
  await Promise.all(
    Array.from({ length: count }, async (_, n) => rig.accept(await rig.newContact(`c${n}@example.com`), { to: `c${n}@example.com` })),
  )
/** An answer that a busy machine brings late was in doubt before. */
const allSent = (ids: readonly string[]) =>
  until(async () => {
    for (const id of ids) {
      const types = await rig.eventsOf(asMessageId(id))
      expect(types.filter((type) => type !== 'MessageUnconfirmed')).toEqual(['EmailAccepted', 'MessageSent'])
    }
  })

/** A call keeps its lease for as long as it may take: here leases end soon. */
const SOON = { callMs: 2_000 }
const jobs = async () =>
  (
    await db.pool.query<{ claimed: boolean; reason: string | null }>(
      `select token is not null as claimed, deferred_for as reason from ${EVERY_JOB}`,
    )
  ).rows
const noJobs = () => until(async () => expect(await jobs()).toEqual([]))
/** The database as a process sees it that neither claims nor renews while the gate is closed. */
const gatedPool = () => {
  const work = gate()
  const pool = Object.create(db.pool) as Pool
  return {
    work,
    pool: Object.assign(pool, { query: behind(work, db.pool.query.bind(db.pool) as (...args: unknown[]) => Promise<unknown>) }),
  }
}
const secondsPast = async (moment: Date): Promise<number> =>
  (await db.pool.query<{ past: number }>('select extract(epoch from clock_timestamp() - $1)::float8 as past', [moment])).rows[0]?.past ?? 0

test('mail whose outcome cannot be recorded for longer than a lease is sent once, though another process looks for work', async () => {
  const { log, appends } = gatedLog()
  appends.closed = true
  await rig.consume(sink.url, { log, leaseMs: 3_000 }, SOON)
  const ids = await acceptAll(MAILS)
  await until(() => expect(sink.mails).toHaveLength(MAILS))
  const { rows } = await db.pool.query<{ last: Date }>(`select max(due_at) as last from ${EVERY_JOB}`)
  await rig.consume(sink.url, { leaseMs: 3_000 }, SOON)
  await until(async () => expect(await secondsPast(rows[0]?.last ?? new Date())).toBeGreaterThan(2))
  appends.closed = false
  await allSent(ids)
  // Where it stood still for longer than its lease, the other put off what it took over.
  await makeAllDue(db.pool)
  await noJobs()
  expect(sink.mails).toHaveLength(MAILS)
})

test('who takes over an expired lease waits for the one who sent the mail to record it', async () => {
  const [{ log, appends }, { pool, work }] = [gatedLog(), gatedPool()]
  appends.closed = true
  await rig.consume(sink.url, { log, pool, leaseMs: 3_000 }, SOON)
  const ids = await acceptAll(MAILS)
  await until(() => expect(sink.mails).toHaveLength(MAILS))
  work.closed = true
  const other = gatedLog()
  other.reads.closed = true
  await rig.consume(sink.url, { log: other.log })
  // The wait begins when the log can be read, not when the lease ended.
  await until(() => expect(other.reads.asked).toBeGreaterThan(2 * MAILS))
  other.reads.closed = false
  await until(() => expect(other.reads.answered).toBeGreaterThanOrEqual(MAILS))
  await until(async () => expect(await jobs()).not.toContainEqual(expect.objectContaining({ claimed: true })))
  appends.closed = false
  await allSent(ids)
  await makeAllDue(db.pool)
  await noJobs()
  expect(sink.mails).toHaveLength(MAILS)
})

test('where a crash of Postgres forgot the claims, another process waits for the one who sent the mail to record it', async () => {
  const [{ log, appends }, { pool, work }] = [gatedLog(), gatedPool()]
  appends.closed = true
  await rig.consume(sink.url, { log, pool })
  const ids = await acceptAll(MAILS)
  await until(() => expect(sink.mails).toHaveLength(MAILS))
  await until(async () => expect((await db.pool.query('select from inbox.job')).rowCount).toBe(MAILS))
  work.closed = true
  await db.pool.query('truncate inbox.claims_remembered')
  await db.pool.query(`update inbox.job set token = null, due_at = now() - interval '1 s'`)
  await announceWaiting(db.pool)
  const other = gatedLog()
  await rig.consume(sink.url, { log: other.log })
  await until(() => expect(other.reads.answered).toBeGreaterThanOrEqual(MAILS))
  appends.closed = false
  await allSent(ids)
  await makeAllDue(db.pool)
  await noJobs()
  expect(sink.mails).toHaveLength(MAILS)
})

test('an event that comes between, and a log that goes away right then, send nothing twice', async () => {
  const { log, appends, reads } = gatedLog()
  const contactId = await rig.newContact('ada@example.com')
  const append: EventLog['append'] = async (stream, expected, events, context) => {
    const sending = events.some(({ type }) => type === 'MessageSent') && appends.asked === 0
    if (sending) {
      const opened = { type: 'EmailOpened', data: { messageId, contactId, channel: 'email', machine: true } }
      await rig.log.append(stream, 0, [opened], { ...(Array.isArray(context) ? context[0] : context), commandId: crypto.randomUUID() })
      reads.closed = true
    }
    return await log.append(stream, expected, events, context)
  }
  await rig.consume(sink.url, { log: { ...log, append } })
  const messageId = asMessageId(await rig.accept(contactId, {}))
  await until(() => expect(reads.asked).toBeGreaterThanOrEqual(2))
  reads.closed = false
  await until(async () => expect(await rig.eventsOf(messageId)).toEqual(['EmailAccepted', 'EmailOpened', 'MessageSent']))
  await noJobs()
  expect(sink.mails).toHaveLength(1)
})

test('mail that may have been taken waits also where the log is away until the process stops', async () => {
  const { log, appends } = gatedLog()
  appends.closed = true
  sink.answers.data = () => {
    for (const connection of sink.sockets()) connection.destroy()
    return undefined
  }
  const consumers = await rig.consume(sink.url, { log })
  await rig.accept(await rig.newContact('ada@example.com'), {})
  await until(() => expect(appends.asked).toBeGreaterThan(0))
  await consumers.stop()
  const { rows } = await db.pool.query(`select attempt, due_at > now() + interval '9 minutes' as waits, token from inbox.job`)
  expect(rows).toEqual([{ attempt: 1, waits: true, token: null }])
})

test('mail whose outcome the log refuses for good is set aside, and not sent again', async () => {
  const append: EventLog['append'] = async (stream, ...rest) => {
    if (stream.startsWith('message-')) throw new InvalidAppend('the event cannot be stored')
    return await rig.log.append(stream, ...rest)
  }
  await rig.consume(sink.url, { log: { ...rig.log, append } })
  const messageId = await rig.accept(await rig.newContact('ada@example.com'), {})
  await until(async () => {
    await makeAllDue(db.pool)
    expect(await jobs()).toEqual([])
    expect(await listDeadLetters(db.pool)).toMatchObject([{ source: 'job', payload: messageId, attempts: 1 }])
  })
  expect(sink.mails).toHaveLength(1)
})
