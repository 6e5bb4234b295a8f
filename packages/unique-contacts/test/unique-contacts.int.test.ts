import { randomUUID } from 'node:crypto'
import { createEventLog, type EventLog, memoryKeyRing, upcasters, uuidv7 } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import { asWorkspaceId, eventDeclarations, type WorkspaceId } from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { postgresEventStore } from '@tidings/event-store/postgres'
import { PATIENT_MS, type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AddressTaken } from '../src/address-taken.ts'
import { createUniqueContacts } from '../src/unique-contacts.ts'

const keyRing = memoryKeyRing()

const processOn = (log: EventLog) =>
  createUniqueContacts({
    runner: createCommandRunner({ log, deadlineMs: 60_000 }),
    claimDigest: keyRing.claimDigest,
    deadlineMs: PATIENT_MS,
  })

const contextIn = (workspaceId: WorkspaceId) => ({
  commandId: uuidv7(),
  workspaceId,
  actor: 'key:1',
  requestId: 'r',
  at: new Date().toISOString(),
})

const contactsCreated = async (log: EventLog, workspaceId: WorkspaceId): Promise<number> => {
  const { events } = await log.readAll('start', 10_000, { types: ['ContactCreated'] })
  return events.filter(({ meta }) => meta.workspaceId === workspaceId).length
}

/** Two processes that know nothing of each other, but the log. */
const everywhere = (open: () => readonly [EventLog, EventLog]) => {
  it('fifty upserts of one email at once make one contact', async () => {
    const [one, two] = open()
    const workspaceId = asWorkspaceId(randomUUID())
    const processes = [processOn(one), processOn(two)] as const
    const upserts = Array.from({ length: 50 }, (_, n) =>
      processes[n % 2 === 0 ? 0 : 1].upsert({
        context: contextIn(workspaceId),
        details: { notes: `${n}` },
        source: 'api',
        email: 'ada@example.com',
      }),
    )
    const all = await Promise.all(upserts)
    expect(new Set(all.map(({ contactId }) => contactId)).size).toBe(1)
    expect(all.filter(({ created }) => created)).toHaveLength(1)
    expect(await contactsCreated(one, workspaceId)).toBe(1)
  })

  it('twenty contacts that want one email and one phone share neither', async () => {
    const [one, two] = open()
    const workspaceId = asWorkspaceId(randomUUID())
    const processes = [processOn(one), processOn(two)] as const
    const creations = Array.from({ length: 20 }, (_, n) =>
      processes[n % 2 === 0 ? 0 : 1].create({
        context: contextIn(workspaceId),
        details: {},
        source: 'api',
        ...(n % 3 === 0
          ? { email: 'ada@example.com', phone: '+972501234567' }
          : n % 3 === 1
            ? { email: 'ada@example.com' }
            : { phone: '+972501234567' }),
      }),
    )
    const answers = await Promise.allSettled(creations)
    for (const answer of answers) if (answer.status === 'rejected') expect(answer.reason).toBeInstanceOf(AddressTaken)
    const [email, phone] = await Promise.all([
      processes[0].ownerOf(workspaceId, 'email', 'ada@example.com'),
      processes[1].ownerOf(workspaceId, 'phone', '+972501234567'),
    ])
    const winners = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value.contactId] : []))
    expect(new Set([email, phone])).toEqual(new Set(winners))
    expect(await contactsCreated(two, workspaceId)).toBe(winners.length)
  })
}

describe('on the log in memory', () => {
  const log = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing })
  afterAll(log.close)
  everywhere(() => [log, log])
})

describe('on the log in Postgres', () => {
  let database: TestDatabase
  let logs: readonly [EventLog, EventLog]

  beforeAll(async () => {
    database = await testDatabase()
    const open = () =>
      createEventLog({
        store: postgresEventStore({ pool: database.pool, appendDeadlineMs: PATIENT_MS }),
        declarations: eventDeclarations,
        upcasters,
        keyRing,
      })
    logs = [open(), open()]
  })
  afterAll(async () => {
    for (const log of logs) await log.close()
    await database.drop()
  })

  everywhere(() => logs)
})
