import { randomUUID } from 'node:crypto'
import { createEventLog, memoryKeyRing, upcasters } from '@tidings/codec'
import {
  asContactId,
  asWorkspaceId,
  contactStream,
  contactSubject,
  type DomainEvent,
  eventDeclarations,
  passcodeSubject,
  type WorkspaceId,
} from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { rebuild } from '@tidings/projections'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { projections } from '../src/index.ts'
import { contactLife } from './contact-events.ts'
import { histories, type Step } from './histories.ts'
import { write } from './log.ts'
import { dump, forget, runToHead } from './tables.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase()
})

afterAll(() => database.drop())

const erasable = () => {
  const keyRing = memoryKeyRing()
  return { keyRing, log: createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing }) }
}

type Log = ReturnType<typeof erasable>['log']

const live = async (log: Log, maxBatch: number) => {
  await runToHead({ pool: database.pool, log, projections, maxBatch })
  return await dump(database.pool, projections)
}

const rebuilt = async (log: Log, page: number) => {
  for (const projection of projections) await rebuild({ projection, log, pool: database.pool, page })
  return await dump(database.pool, projections)
}

/** The data subjects that the steps speak of. */
const subjects = (steps: readonly Step[]) =>
  steps.flatMap(({ workspaceId, event: { data } }) => {
    if (!('contactId' in data)) return []
    const { contactId } = data
    if (contactId !== null) return [{ workspaceId, subject: contactSubject({ contactId }) }]
    return 'messageId' in data ? [{ workspaceId, subject: passcodeSubject(data) }] : []
  })

const erasure = ({ workspaceId, subject }: Readonly<{ workspaceId: WorkspaceId; subject: string }>): Step => {
  const contactId = asContactId(subject.slice('contact:'.length))
  const event: DomainEvent = { type: 'ContactErasureRequested', data: { contactId } }
  return { workspaceId, stream: contactStream(workspaceId, contactId), event, at: '2026-11-21T12:00:00.000Z' }
}

test('every event type folds without its key, live and rebuilt alike, and the erased are in no table', async () => {
  const { pool } = database
  await fc.assert(
    fc.asyncProperty(histories, async (steps) => {
      const { keyRing, log } = erasable()
      await write(log, steps)
      const gone = subjects(steps)
      await write(log, gone.filter(({ subject }) => subject.startsWith('contact:')).map(erasure))
      for (const { workspaceId, subject } of gone) await keyRing.shred(workspaceId, subject)
      await forget(pool, projections)
      const tables = await live(log, 2_000)
      expect(await rebuilt(log, 4_000)).toEqual(tables)
      const { profiles, suppressions, sms_recipients, waiting_texts, push_subscriptions, activity_facts } = tables
      expect([profiles, suppressions, sms_recipients, waiting_texts, push_subscriptions, activity_facts]).toEqual([[], [], [], [], [], []])
      expect((await pool.query('select 1 from ops.parked_stream')).rowCount).toBe(0)
      await log.close()
    }),
    { numRuns: 5 },
  )
})

/** An event in no stream that is named for its contact is about one of the contacts of its workspace, where it has any. */
const aboutContacts = (steps: readonly Step[]): readonly Step[] => {
  const born = steps.flatMap(({ workspaceId, event }) =>
    event.type === 'ContactCreated' ? [{ workspaceId, contactId: event.data.contactId }] : [],
  )
  return steps.map((step, n) => {
    const own = born.filter(({ workspaceId }) => workspaceId === step.workspaceId)
    const about = own[n % own.length]
    const { event, stream } = step
    if (about === undefined || /^(contact|enrolment)-/.test(stream) || !('contactId' in event.data) || event.data.contactId === null)
      return step
    return { ...step, event: { ...event, data: { ...event.data, contactId: about.contactId } } as DomainEvent }
  })
}

/** The order of an erasure: it is asked for, the key is destroyed, it is recorded as done. What is sealed about the person is refused after that. */
const writeWithErasures = async ({ log, keyRing }: ReturnType<typeof erasable>, steps: readonly Step[]): Promise<number> => {
  let erased = 0
  for (const step of steps) {
    if (step.event.type === 'ContactErased') {
      await keyRing.shred(step.workspaceId, contactSubject(step.event.data))
      erased++
    }
    await write(log, [step]).catch((error: unknown) => {
      if (!(error instanceof Error) || error.name !== 'SubjectErased') throw error
    })
  }
  return erased
}

/** A history in which somebody is erased for certain, in the middle of it. */
const withAnErasure: fc.Arbitrary<readonly Step[]> = fc.tuple(histories, fc.uuid()).chain(([steps, id]) =>
  contactLife(asContactId(id))
    .filter((events) => events.at(-1)?.type === 'ContactErased')
    .map((events) => {
      const workspaceId = steps[0]?.workspaceId ?? asWorkspaceId(randomUUID())
      const all = [...steps]
      for (const [n, event] of events.entries()) {
        const at = n + Math.floor(((n + 1) * steps.length) / (events.length + 1))
        const before = all[at] ?? steps.at(-1)
        all.splice(at, 0, {
          workspaceId,
          stream: contactStream(workspaceId, asContactId(id)),
          event,
          at: before?.at ?? new Date(0).toISOString(),
        })
      }
      return all
    }),
)

test('erasures in the middle of histories leave the same tables where they were followed, followed late, and rebuilt', {
  timeout: 600_000,
}, async () => {
  let erased = 0
  await fc.assert(
    fc.asyncProperty(
      withAnErasure.map(aboutContacts),
      fc.nat(),
      fc.constantFrom(1, 3, 2_000),
      fc.constantFrom(1, 5, 4_000),
      async (steps, cut, maxBatch, page) => {
        const process = erasable()
        const half = steps.length === 0 ? 0 : cut % steps.length
        await forget(database.pool, projections)
        erased += await writeWithErasures(process, steps.slice(0, half))
        await live(process.log, maxBatch)
        erased += await writeWithErasures(process, steps.slice(half))
        const followed = await live(process.log, maxBatch)
        expect(await rebuilt(process.log, page)).toEqual(followed)
        await process.log.close()
      },
    ),
    { numRuns: 9 },
  )
  expect(erased).toBeGreaterThan(0)
})
