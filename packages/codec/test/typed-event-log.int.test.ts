import { asWorkspaceId, type ContactCreated, type DomainEvent, eventDeclarations } from '@tidings/domain'
import { postgresEventStore } from '@tidings/event-store/postgres'
import { PATIENT_MS, type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { examples } from '../golden/examples.ts'
import type { EventLog, Recorded } from '../src/event-log.ts'
import { uuidv7 } from '../src/ids.ts'
import { openKeyRing } from '../src/keys/postgres-key-store.ts'
import { createEventLog } from '../src/typed-event-log.ts'
import { upcasters } from '../src/upcast/upcasters.ts'

const workspaceId = asWorkspaceId(uuidv7())
const context = () => ({ commandId: uuidv7(), workspaceId, actor: 'key:1', requestId: 'r-1', at: '2026-11-21T12:00:00.000Z' })
const all = Object.entries(examples).map(([type, data]) => ({ type, data }))
let db: TestDatabase

/** A log with connections and keys of its own, as another process would have it. */
const newProcess = async (): Promise<EventLog> => {
  const keyRing = await openKeyRing({ pool: db.pool, masterKey: '66'.repeat(32) })
  return createEventLog({
    store: postgresEventStore({ pool: db.pool, appendDeadlineMs: PATIENT_MS }),
    declarations: eventDeclarations,
    upcasters,
    keyRing,
  })
}

const read = async (log: EventLog, count: number): Promise<Recorded[]> => {
  const events: Recorded[] = []
  for await (const batch of log.subscribe({ from: 'start', signal: AbortSignal.timeout(240_000) })) {
    events.push(...batch.events)
    if (events.length >= count) break
  }
  return events
}

beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())

test('every event type survives Postgres, for its writer and for another process', async () => {
  const [writer, other] = await Promise.all([newProcess(), newProcess()])
  await writer.append('all-1', 'no_stream', all, context())
  for (const log of [writer, other]) {
    const events = await log.readStream<DomainEvent>(workspaceId, 'all-1')
    expect(events.map(({ type, data }) => ({ type, data }))).toEqual(all)
  }
  await Promise.all([writer.close(), other.close()])
})

test('the readers of a process share one decoded event, and none of them opens what the process itself wrote', async () => {
  const log = await newProcess()
  const start = (await log.readAll('start', 1_000)).events.length
  const readers = [read(log, start + all.length), read(log, start + all.length)]
  await log.append('all-2', 'no_stream', all, context())
  const [first, second] = await Promise.all(readers)
  const written = (events: readonly Recorded[] | undefined) => (events ?? []).filter(({ stream }) => stream === 'all-2')
  expect(written(first)).toHaveLength(all.length)
  for (const [n, event] of written(first).entries()) expect(written(second)[n]?.data).toBe(event.data)
  const created = written(first).find((event): event is Recorded<ContactCreated> => event.type === 'ContactCreated')
  expect(created?.data.customProperties).toBe(examples.ContactCreated.customProperties)
  await log.close()
})

test('nothing personal stands in the tables of the log', async () => {
  const log = await newProcess()
  await log.append('all-3', 'no_stream', all, context())
  const { rows } = await db.pool.query<{ row: string }>('select e::text as row from es.event e')
  const texts = rows.map(({ row }) => row).join('\n')
  expect(rows.length).toBeGreaterThanOrEqual(all.length)
  for (const secret of [
    'jose@example.com',
    '33612345678',
    'José',
    'Votre reçu',
    '2001:db8',
    'Mozilla',
    'line one',
    'invoice 7',
    'not yours',
  ])
    expect(texts).not.toContain(secret)
  await log.close()
})
