import { randomUUID } from 'node:crypto'
import {
  asMessageId,
  asWorkspaceId,
  eventDeclarations,
  type MessageId,
  messageStream,
  passcodeSubject,
  subjectStream,
} from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { SubjectErased, SubjectKeyMissing } from '../../src/errors.ts'
import { uuidv7 } from '../../src/ids.ts'
import { createKeyRing, type KeyRing } from '../../src/keys/key-ring.ts'
import { openMasterKeys } from '../../src/keys/master-keys.ts'
import { forgetEndedPasscodes, postgresKeyStore, shredSubjects } from '../../src/keys/postgres-key-store.ts'
import { createEventLog } from '../../src/typed-event-log.ts'
import { upcasters } from '../../src/upcast/upcasters.ts'

const DAY_MS = 86_400_000
const workspaceId = asWorkspaceId(uuidv7())
const store = memoryEventStore()

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())
beforeEach(async () => {
  await db.pool.query('truncate keys.subject_key, keys.ended_passcodes')
})

const newProcess = async (): Promise<KeyRing> => {
  const keys = postgresKeyStore(db.pool)
  return createKeyRing({ store: keys, masters: await openMasterKeys(keys, { masterKey: '77'.repeat(32) }) })
}
const logOf = (keyRing: KeyRing) => createEventLog({ store, declarations: eventDeclarations, upcasters, keyRing, subjectStream })

/** An id as one made so many days ago. */
const idOf = (daysAgo: number): MessageId => {
  const hex = (Date.now() - daysAgo * DAY_MS).toString(16).padStart(12, '0')
  return asMessageId(`${hex.slice(0, 8)}-${hex.slice(8)}-${uuidv7().slice(14)}`)
}
const subjectOf = (messageId: MessageId): string => passcodeSubject({ messageId })
const left = async (): Promise<readonly string[]> =>
  (await db.pool.query<{ subject: string }>('select subject from keys.subject_key order by subject')).rows.map(({ subject }) => subject)

const forget = () => forgetEndedPasscodes(db.pool, { days: 7, limit: 1_000 })
/** Makes it look as if it had run for the first time days ago. */
const begun = async (): Promise<void> => {
  await forget()
  await db.pool.query(`update keys.ended_passcodes set begun_at = begun_at - interval '2 days'`)
}

const context = () => ({ commandId: randomUUID(), workspaceId, actor: 'test', requestId: 'r', at: '2026-11-28T12:00:00.000Z' })
/** A passcode that was sent, with its number in the log. */
const sent = async (keyRing: KeyRing, messageId: MessageId): Promise<string> => {
  await keyRing.newKeyFor(workspaceId, subjectOf(messageId))
  const stream = messageStream(workspaceId, messageId)
  const passcode = { verificationId: 'v', to: '+972501234567', from: 'ACME', credits: 1, segments: 1, ip: '203.0.113.7' }
  const data = { messageId, contactId: null, channel: 'sms', ...passcode }
  await logOf(keyRing).append(stream, 'any', [{ type: 'PasscodeAccepted', data }], context())
  return stream
}

test('a week later one row stands for the destroyed keys of passcodes, and for no others', async () => {
  const ring = await newProcess()
  const [old, alive, young, named] = [idOf(8), idOf(9), idOf(6), asMessageId(randomUUID())]
  const others = [`contact:${idOf(30)}`, subjectOf(named)]
  for (const subject of [...[old, alive, young].map(subjectOf), ...others]) await ring.newKeyFor(workspaceId, subject)
  const destroyed = [...[old, young].map(subjectOf), ...others]
  await shredSubjects(
    db.pool,
    destroyed.map((subject) => ({ workspaceId, subject })),
  )
  await begun()
  expect(await forget()).toBe(1)
  expect(await left()).toEqual([...others, subjectOf(alive), subjectOf(young)].toSorted())
  expect(await forget()).toBe(0)
})

test('what was sealed reads as erased in a process that has never seen the row, and is no key that was lost', async () => {
  const [old, young] = [idOf(8), idOf(1)]
  const first = await newProcess()
  const streams = [await sent(first, asMessageId(old)), await sent(first, asMessageId(young))] as const
  await shredSubjects(db.pool, [{ workspaceId, subject: subjectOf(old) }])
  await begun()
  await forget()
  // The row of the other one is lost.
  await db.pool.query('delete from keys.subject_key where subject = $1', [subjectOf(young)])
  const log = logOf(await newProcess())
  expect((await log.readStream(workspaceId, streams[0])).map(({ erased }) => erased)).toEqual([true])
  await expect(log.readStream(workspaceId, streams[1])).rejects.toThrow(SubjectKeyMissing)
})

test('a passcode that is gone never gets another key, in whichever way one is asked for', async () => {
  const old = asMessageId(idOf(8))
  await sent(await newProcess(), old)
  await shredSubjects(db.pool, [{ workspaceId, subject: subjectOf(old) }])
  await begun()
  await forget()
  for (const make of ['keyFor', 'newKeyFor'] as const)
    await expect((await newProcess())[make](workspaceId, subjectOf(old))).rejects.toThrow(SubjectErased)
  // One of that time that had none either: the clock of its process is wrong by more than a week.
  await expect((await newProcess()).newKeyFor(workspaceId, subjectOf(asMessageId(idOf(10))))).rejects.toThrow(SubjectErased)
  expect(await left()).toEqual([])
})

test('nothing goes on the first day, in which processes may run that look for the rows', async () => {
  const old = asMessageId(idOf(8))
  await sent(await newProcess(), old)
  await shredSubjects(db.pool, [{ workspaceId, subject: subjectOf(old) }])
  expect([await forget(), await forget()]).toEqual([0, 0])
  expect(await left()).toEqual([subjectOf(old)])
})

test('many rows go in portions, and what is gone stays so when the retention is made longer', async () => {
  const ring = await newProcess()
  const subjects = Array.from({ length: 25 }, () => subjectOf(asMessageId(idOf(8))))
  for (const subject of subjects) await ring.newKeyFor(workspaceId, subject)
  await shredSubjects(
    db.pool,
    subjects.map((subject) => ({ workspaceId, subject })),
  )
  await begun()
  const portions = [10, 10, 10].map((limit) => ({ days: 7, limit }))
  const counts: number[] = []
  for (const portion of portions) counts.push(await forgetEndedPasscodes(db.pool, portion))
  expect(counts).toEqual([10, 10, 5])
  await forgetEndedPasscodes(db.pool, { days: 30, limit: 10 })
  await expect((await newProcess()).keyFor(workspaceId, subjects[0]!)).rejects.toThrow(SubjectErased)
})
