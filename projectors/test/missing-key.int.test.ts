import { randomUUID } from 'node:crypto'
import { createEventLog, type EventLog, memoryKeyRing, SubjectKeyMissing, upcasters } from '@tidings/codec'
import { asContactId, asWorkspaceId, type ContactId, contactStream, eventDeclarations } from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { createProgress, rebuild, runProjection } from '@tidings/projections'
import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { projectionNamed, projections } from '../src/index.ts'
import { forget, runToHead } from './tables.ts'

const workspaceId = asWorkspaceId(randomUUID())
const profiles = projectionNamed('profiles')
const SENTENCE = /^the key of contact:\S+ of workspace \S+ is missing, .*restored from a copy that is older than the log/

let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.drop())
beforeEach(() => forget(database.pool, projections))

const renamed = async (log: EventLog, contactId: ContactId): Promise<void> => {
  const data = { contactId, email: `${contactId}@example.com`, claimId: null }
  const context = { commandId: randomUUID(), workspaceId, actor: 'test', requestId: 'test', at: '2026-01-01T00:00:00.000Z' }
  await log.append(contactStream(workspaceId, contactId), 'any', [{ type: 'ContactEmailChanged', data }], context)
}

/** The log with all keys, and as a process has it whose keys were restored from before the last event. */
const afterRestore = async () => {
  const store = memoryEventStore()
  const open = (keyRing = memoryKeyRing()) => createEventLog({ store, declarations: eventDeclarations, upcasters, keyRing })
  const keyRing = memoryKeyRing()
  const whole = open(keyRing)
  const [kept, lost] = [asContactId(randomUUID()), asContactId(randomUUID())]
  await renamed(whole, kept)
  await renamed(whole, lost)
  const restored = memoryKeyRing()
  const isLost = (subject: string) => subject === `contact:${lost}`
  const log = open({
    ...keyRing,
    cached: () => undefined,
    load: async (refs) => {
      const keys = await keyRing.load(refs)
      const none = await restored.load(refs)
      return refs.map(({ subject }, n) => (isLost(subject) ? none[n]! : keys[n]!))
    },
  })
  return { whole, log }
}

test('a projection stops before an event whose key row is gone, says which restore that was, and parks nothing', async () => {
  const { pool } = database
  const { log } = await afterRestore()
  const progress = createProgress()
  const running = runProjection({ projection: profiles, log, pool, progress, owner: randomUUID() })
  await until(() => expect(progress.of('profiles')?.state).toBe('failed'))
  expect(progress.of('profiles')?.failure).toMatchObject({ kind: 'SubjectKeyMissing', message: expect.stringMatching(SENTENCE) })
  expect(progress.of('profiles')?.position).toEqual({ commit: 1n, prepare: 0n })
  expect((await pool.query('select 1 from ops.parked_stream')).rowCount).toBe(0)
  await running.stop()
})

test('a rebuild stops there too, and leaves the live tables alone', async () => {
  const { pool } = database
  const { whole, log } = await afterRestore()
  await runToHead({ pool, log: whole, projections: [profiles] })
  const checkpoint = () => pool.query("select version, position_commit from ops.projection_checkpoint where projection = 'profiles'")
  const before = (await checkpoint()).rows
  await expect(rebuild({ projection: profiles, log, pool })).rejects.toThrow(SubjectKeyMissing)
  expect((await checkpoint()).rows).toEqual(before)
  expect((await pool.query('select 1 from ops.parked_stream')).rowCount).toBe(0)
})
