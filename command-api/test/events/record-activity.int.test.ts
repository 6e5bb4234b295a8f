import { randomUUID } from 'node:crypto'
import { createEventLog, type EventLog, memoryKeyRing, type Recorded, upcasters, uuidv7 } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import { asContactId, asWorkspaceId, eventDeclarations, type WorkspaceId } from '@tidings/domain'
import { postgresEventStore } from '@tidings/event-store/postgres'
import { PATIENT_MS, type TestDatabase, testDatabase } from '@tidings/testing'
import { createUniqueContacts } from '@tidings/unique-contacts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Report, recordActivity, recordFirstActivity } from '../../src/events/record-activity.ts'

let db: TestDatabase
let log: EventLog
beforeAll(async () => {
  db = await testDatabase()
  log = createEventLog({
    store: postgresEventStore({ pool: db.pool, appendDeadlineMs: PATIENT_MS }),
    declarations: eventDeclarations,
    upcasters,
    keyRing,
  })
})
afterAll(async () => {
  await log.close()
  await db.drop()
})

const keyRing = memoryKeyRing()
/** Longer than anything stands still: who loses a race tries again. */
const DEADLINE = { deadlineMs: 60_000 }
/** Processes that know nothing of each other, but the log. */
const processes = (count: number) =>
  Array.from({ length: count }, () => {
    const commands = createCommandRunner({ log, ...DEADLINE })
    return { commands, uniqueContacts: createUniqueContacts({ runner: commands, claimDigest: keyRing.claimDigest, ...DEADLINE }) }
  })

const AT = '2026-11-23T10:15:30.000Z'
const contextIn = (workspaceId: WorkspaceId, commandId = uuidv7()) => ({ commandId, workspaceId, actor: 'key:1', requestId: 'r', at: AT })
const report: Report = { event: 'order_placed', source: 'api', occurredAt: AT, properties: { total: 7 }, ownId: null }

const eventsOf = async (workspaceId: WorkspaceId): Promise<readonly Recorded[]> =>
  (await log.readAll('start', 10_000)).events.filter(({ meta }) => meta.workspaceId === workspaceId)
const countOf = async (workspaceId: WorkspaceId, type: string) =>
  (await eventsOf(workspaceId)).filter((event) => event.type === type).length

describe('a hundred equal reports at once, to four processes', () => {
  it('of a known contact are one activity', async () => {
    const [workspaceId, contactId] = [asWorkspaceId(randomUUID()), asContactId(randomUUID())]
    const all = processes(4)
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) => recordActivity(all[n % 4]!, { context: contextIn(workspaceId), report }, contactId)),
    )
    expect(answers.filter((answer) => answer?.position !== null)).toHaveLength(1)
    expect(new Set(answers.map((answer) => answer?.activityId)).size).toBe(1)
    expect(await countOf(workspaceId, 'ActivityRecorded')).toBe(1)
  })

  it('of a new address are one activity of one contact', async () => {
    const workspaceId = asWorkspaceId(randomUUID())
    const all = processes(4)
    const first = { reported: { email: 'ann@example.com', phone: '+972501234567' }, details: { firstName: 'Ann' } }
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) => recordFirstActivity(all[n % 4]!, { context: contextIn(workspaceId), report }, first)),
    )
    expect(answers.filter((answer) => answer?.created)).toHaveLength(1)
    expect(answers.filter((answer) => answer?.position !== null)).toHaveLength(1)
    expect(await countOf(workspaceId, 'ContactCreated')).toBe(1)
    expect(await countOf(workspaceId, 'ActivityRecorded')).toBe(1)
  })
})

it('a report whose answer was lost is recorded once, and answered with its place', async () => {
  const workspaceId = asWorkspaceId(randomUUID())
  const first = { reported: { email: 'lost@example.com' }, details: {} }
  const context = contextIn(workspaceId)
  const answers = []
  for (const process of processes(3)) answers.push(await recordFirstActivity(process, { context, report }, first))
  expect(new Set(answers.map((answer) => answer?.position?.commit)).size).toBe(1)
  expect(answers).toMatchObject([{ created: true }, { created: true }, { created: true }])
  expect(await countOf(workspaceId, 'ActivityRecorded')).toBe(1)
})

it('a process that died between the contact and its activity leaves a contact that the next report finds', async () => {
  const workspaceId = asWorkspaceId(randomUUID())
  const [dying, next] = processes(2)
  const request = { details: {}, source: 'api', email: 'died@example.com' }
  const { contactId } = await dying!.uniqueContacts.resolveOrCreate({ context: contextIn(workspaceId), ...request })
  const answer = await recordFirstActivity(next!, { context: contextIn(workspaceId), report }, { reported: request, details: {} })
  expect(answer).toMatchObject({ contactId, created: false })
  expect(await countOf(workspaceId, 'ActivityRecorded')).toBe(1)
})

it('an erased person does nothing any more', async () => {
  const [workspaceId, contactId] = [asWorkspaceId(randomUUID()), asContactId(randomUUID())]
  await recordActivity(processes(1)[0]!, { context: contextIn(workspaceId), report }, contactId)
  await keyRing.shred(workspaceId, `contact:${contactId}`)
  const later = { ...report, occurredAt: '2026-11-23T10:16:00.000Z' }
  expect(await recordActivity(processes(1)[0]!, { context: contextIn(workspaceId), report: later }, contactId)).toBeNull()
})
