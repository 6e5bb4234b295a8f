import { createEventLog, type EventLog, openKeyRing, upcasters } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import { contextOf } from '@tidings/commands/testing'
import {
  asMessageId,
  eventDeclarations,
  type MessageEvent,
  message,
  messageStream,
  type OtpEvent,
  otp,
  otpStream,
  subjectStream,
} from '@tidings/domain'
import { postgresEventStore } from '@tidings/event-store/postgres'
import { PATIENT_MS, type TestDatabase, testDatabase, until } from '@tidings/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newVerificationId } from '../src/new-passcode.ts'
import { passcodeRetention } from '../src/retention.ts'
import { createSpentPasscodes } from '../src/spent-passcodes.ts'
import { digests } from './testing/dying-process.ts'

// Processes that have a key cached forget it within five minutes: each reader here is a process that has none.

const { workspaceId } = contextOf('any')
const masterKey = '00'.repeat(32)
let database: TestDatabase
let store: ReturnType<typeof postgresEventStore>

beforeAll(async () => {
  database = await testDatabase()
  store = postgresEventStore({ pool: database.pool, appendDeadlineMs: PATIENT_MS })
})
afterAll(async () => {
  await store.close()
  await database.drop()
})

const openLog = async (): Promise<EventLog> => {
  const keyRing = await openKeyRing({ pool: database.pool, masterKey })
  return createEventLog({ store, declarations: eventDeclarations, upcasters, keyRing, subjectStream })
}

/** A passcode that was sent, and the ids of its message and verification. */
const sendOne = async (n: number) => {
  const verificationId = newVerificationId()
  const messageId = asMessageId(`00000000-0000-7000-8000-${String(n).padStart(12, '0')}`)
  const commands = createCommandRunner({ log: await openLog(), deadlineMs: PATIENT_MS })
  const of = { messageId, verificationId, channel: 'sms' } as const
  const phone = '+972501234567'
  await commands.execute({
    decider: message,
    stream: messageStream(workspaceId, messageId),
    command: { type: 'AcceptPasscode', data: { ...of, to: phone, from: 'Acme', credits: 1, segments: 1 } },
    context: contextOf(`accept ${n}`),
  })
  await commands.execute({
    decider: otp,
    stream: otpStream(workspaceId, verificationId),
    command: {
      type: 'IssueOtp',
      data: { ...of, phone, digest: digests.make(verificationId, '123456'), expiresAt: '2026-01-01T00:05:00.000Z' },
    },
    context: contextOf(`issue ${n}`),
  })
  return of
}

type Ids = Awaited<ReturnType<typeof sendOne>>

const personalOf = async ({ messageId, verificationId }: Ids) => {
  const log = await openLog()
  const [accepted] = await log.readStream<MessageEvent>(workspaceId, messageStream(workspaceId, asMessageId(messageId)))
  const [issued] = await log.readStream<OtpEvent>(workspaceId, otpStream(workspaceId, verificationId))
  return { accepted: accepted?.data, issued: issued?.data }
}

const isKept = { accepted: { to: '+972501234567' }, issued: { phone: '+972501234567', digest: expect.any(String) } }
const isGone = { accepted: { to: null, from: 'Acme' }, issued: { phone: null, digest: null, expiresAt: expect.any(String) } }

it('a spent passcode is deleted soon, and an unspent one is not', async () => {
  const [used, unused] = [await sendOne(1), await sendOne(2)]
  expect(await personalOf(used)).toMatchObject(isKept)
  const spent = createSpentPasscodes({ pool: database.pool, flushMs: 10, onError: (error) => expect.fail(String(error)) })
  spent.add({ workspaceId, messageId: asMessageId(used.messageId) })
  await until(async () => expect(await personalOf(used)).toMatchObject(isGone))
  expect(await personalOf(unused)).toMatchObject(isKept)
  spent.add({ workspaceId, messageId: asMessageId(unused.messageId) })
  await spent.close()
  expect(await personalOf(unused)).toMatchObject(isGone)
})

it('every passcode is deleted an hour after its issue, in batches, by the retention', async () => {
  const all = [await sendOne(11), await sendOne(12), await sendOne(13)]
  const [keys] = passcodeRetention(database.pool)
  expect(await keys?.run(100)).toBe(0)
  await database.pool.query(
    `update keys.subject_key set created_at = now() - interval '61 minutes' where subject like 'passcode:%' and wrapped is not null`,
  )
  expect([await keys?.run(2), await keys?.run(2), await keys?.run(2)]).toEqual([2, 1, 0])
  for (const one of all) expect(await personalOf(one)).toMatchObject(isGone)
})

it('a passcode whose record is deleted is not right any more, and readers of the log go on', async () => {
  const one = await sendOne(21)
  await database.pool.query(`update keys.subject_key set created_at = now() - interval '61 minutes' where subject = $1`, [
    `passcode:${one.messageId}`,
  ])
  const [keys] = passcodeRetention(database.pool)
  expect(await keys?.run(100)).toBe(1)
  const log = await openLog()
  const { events } = await createCommandRunner({ log, deadlineMs: PATIENT_MS }).execute({
    decider: otp,
    stream: otpStream(workspaceId, one.verificationId),
    command: {
      type: 'VerifyOtp',
      data: { verificationId: one.verificationId, digests: [digests.make(one.verificationId, '123456')], at: '2026-01-01T00:00:01.000Z' },
    },
    context: contextOf('too late'),
  })
  expect(events).toMatchObject([{ type: 'OtpAttemptFailed' }])
  const batch = await log.readAll('start', 1_000)
  expect(batch.events.length).toBeGreaterThan(10)
})

it('keys of contacts are not touched, however old they are', async () => {
  const keyRing = await openKeyRing({ pool: database.pool, masterKey })
  await keyRing.newKeyFor(workspaceId, 'contact:00000000-0000-7000-8000-000000000001')
  await database.pool.query(`update keys.subject_key set created_at = now() - interval '10 years' where subject like 'contact:%'`)
  const [keys] = passcodeRetention(database.pool)
  await keys?.run(100)
  const { rows } = await database.pool.query(`select wrapped is not null as kept from keys.subject_key where subject like 'contact:%'`)
  expect(rows).toEqual([{ kept: true }])
})
