import { createEventLog, memoryKeyRing, upcasters } from '@tidings/codec'
import {
  asMessageId,
  asVerificationId,
  eventDeclarations,
  type OtpCommand,
  otp,
  otpResult,
  otpStream,
  subjectStream,
  type VerificationId,
} from '@tidings/domain'
import { postgresEventStore } from '@tidings/event-store/postgres'
import { PATIENT_MS, type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCommandRunner } from '../src/command-runner.ts'
import { contextOf } from './testing/context-of.ts'

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

const [right, wrong] = ['a'.repeat(64), 'b'.repeat(64)]
const { workspaceId } = contextOf('any')

const issued = async (verificationId: VerificationId) => {
  const log = createEventLog({ store, declarations: eventDeclarations, upcasters, keyRing: memoryKeyRing(), subjectStream })
  const stream = otpStream(workspaceId, verificationId)
  const runners = [
    createCommandRunner({ log, deadlineMs: PATIENT_MS }),
    createCommandRunner({ log, deadlineMs: PATIENT_MS }),
    createCommandRunner({ log, deadlineMs: PATIENT_MS }),
  ]
  const run = async (n: number, command: OtpCommand) =>
    (await runners[n % runners.length]!.execute({ decider: otp, stream, command, context: contextOf(`${verificationId} ${n}`) })).events
  await run(-3, {
    type: 'IssueOtp',
    data: {
      verificationId,
      messageId: asMessageId('m'),
      channel: 'sms',
      phone: '+972501234567',
      digest: right,
      expiresAt: '2026-01-01T00:05:00.000Z',
    },
  })
  const at = '2026-01-01T00:00:01.000Z'
  return async (n: number, digest: string) =>
    otpResult(await run(n, { type: 'VerifyOtp', data: { verificationId, digests: [digest], at } }))
}

it('fifty attempts at once with the right code, in three processes, are right once', async () => {
  const verify = await issued(asVerificationId('fifty'))
  const results = await Promise.all(Array.from({ length: 50 }, (_, n) => verify(n, right)))
  expect(results.filter(({ verified }) => verified)).toHaveLength(1)
  expect(results.filter((result) => !result.verified && result.reason === 'expired_or_unknown')).toHaveLength(49)
})

it('fifty guesses at once get five comparisons, and no more', async () => {
  const verify = await issued(asVerificationId('guessed'))
  const results = await Promise.all(Array.from({ length: 50 }, (_, n) => verify(n, wrong)))
  const byReason = Map.groupBy(results, (result) => (result.verified ? 'verified' : result.reason))
  expect([...byReason].map(([reason, all]) => [reason, all.length]).sort()).toEqual([
    ['code_mismatch', 5],
    ['expired_or_unknown', 44],
    ['too_many_attempts', 1],
  ])
  expect(await verify(50, right)).toEqual({ verified: false, reason: 'expired_or_unknown' })
})
