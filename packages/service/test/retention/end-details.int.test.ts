import { createEventLog, SubjectErased, upcasters, uuidv7 } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import { loadConfig } from '@tidings/config'
import { detailTasks, type RetentionDays, type RetentionTask } from '@tidings/consumers'
import { endedDetailsView } from '@tidings/directory'
import {
  asContactId,
  asWorkspaceId,
  type ContactEvent,
  type ContactId,
  contactStream,
  contactSubject,
  eventDeclarations,
  retentionStream,
  type WorkspaceId,
  workspaceStream,
} from '@tidings/domain'
import { comparePositions } from '@tidings/event-store'
import { createLog } from '@tidings/observability/log'
import { createProgress, rebuild, rebuildBeside, swapBack, swapNext } from '@tidings/projections'
import { projections, startProjectors } from '@tidings/projectors'
import { PATIENT_MS, type TestDatabase, testDatabase } from '@tidings/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStores, type Stores } from '../../src/stores/open-stores.ts'

type Ending = Parameters<typeof detailTasks>[0]

const DAY_MS = 86_400_000
/** A Monday. */
const START = Date.parse('2026-01-05')
const CLIENT_FOR_A_WEEK: RetentionDays = { client: 7, content: null }

let db: TestDatabase
let stores: Stores
/** Another process, with caches of its own. */
let other: Stores
let projectors: ReturnType<typeof startProjectors>
const progress = createProgress()

const opened = async (): Promise<Stores> => {
  const env = {
    TIDINGS_DATABASE_URL: db.url,
    TIDINGS_MASTER_KEY: '11'.repeat(32),
    TIDINGS_LOG_LEVEL: 'error',
    TIDINGS_RETENTION_SMALL_CONTENT_DAYS: '14',
    TIDINGS_RETENTION_CLIENT_DETAILS_DAYS: '1',
  }
  return await openStores({ config: loadConfig(env, null), log: await createLog({ level: 'error' }), mode: 'command' })
}

beforeAll(async () => {
  db = await testDatabase()
  stores = await opened()
  other = await opened()
  projectors = startProjectors({ log: stores.log, pool: stores.workPool, progress })
})
afterAll(async () => {
  await projectors?.stop()
  await other?.close()
  await stores?.close()
  await db?.drop()
})

const shown = async (): Promise<void> => {
  const head = await stores.log.head()
  const isShown = (name: string) => comparePositions(progress.of(name)?.position ?? { commit: -1n, prepare: -1n }, head) >= 0
  await expect.poll(() => isShown('consent_history') && isShown('workspaces'), { interval: 5 }).toBe(true)
}

const context = (workspaceId: WorkspaceId, day: number) => {
  const commandId = uuidv7()
  return { commandId, workspaceId, actor: 'test', requestId: commandId, at: new Date(START + day * DAY_MS).toISOString() }
}

const newWorkspace = async (): Promise<string> => {
  const workspaceId = asWorkspaceId(uuidv7())
  const settings = { slug: `s-${workspaceId}`, name: 'S', plan: 'pro', country: 'IL', timezone: 'UTC', tracking: true, status: 'active' }
  const created = { type: 'WorkspaceCreated', data: { workspaceId, ...settings } }
  await stores.log.append(workspaceStream(workspaceId), 'no_stream', [created], context(workspaceId, 0))
  return workspaceId
}

const ipOf = (n: number): string => `198.51.100.${n}`

type Log = Pick<Stores['log'], 'append'>

const consent = async (
  workspaceId: WorkspaceId,
  { day, n }: Readonly<{ day: number; n: number }>,
  log: Log = stores.log,
): Promise<string> => {
  const contactId = asContactId(uuidv7())
  await stores.keyRing.newKeyFor(workspaceId, contactSubject({ contactId }))
  const said = { channel: 'email', from: 'never_subscribed', to: 'subscribed', source: 'test', message: null }
  const event = { type: 'ContactConsentRecorded', data: { contactId, ...said, ip: ipOf(n), userAgent: `agent-${n}` } }
  await log.append(contactStream(workspaceId, contactId), 'no_stream', [event], context(workspaceId, day))
  return contactId
}

const ending = (from: Stores, day: number, days = CLIENT_FOR_A_WEEK): Ending => ({
  log: from.log,
  pool: from.workPool,
  commands: createCommandRunner({ log: from.log, deadlineMs: PATIENT_MS }),
  keyRing: from.keyRing,
  days,
  now: () => START + day * DAY_MS,
  clearAfterSeconds: 0,
})

const run = async (tasks: readonly RetentionTask[]): Promise<void> => {
  for (const { batch, run } of tasks) {
    for (let more = true; more; ) {
      const done = await run(batch)
      more = typeof done === 'number' ? done >= batch : done.more
    }
  }
}

const addressIn = async ({ log }: Pick<Stores, 'log'>, workspaceId: WorkspaceId, contactId: ContactId) => {
  const [event] = await log.readStream<ContactEvent>(workspaceId, contactStream(workspaceId, contactId))
  if (event?.type !== 'ContactConsentRecorded') throw new Error('there is no consent')
  return { ip: event.data.ip, userAgent: event.data.userAgent, ended: event.ended }
}

const GONE = { ip: null, userAgent: null, ended: ['client'] }
const kept = (n: number) => ({ ip: ipOf(n), userAgent: `agent-${n}`, ended: undefined })

const rows = async (workspaceId: WorkspaceId): Promise<Readonly<Record<string, string | null>>> => {
  const found = await db.pool.query<{ id: string; ip: string | null }>(
    'select contact_id as id, ip from read.consent_history where workspace_id = $1',
    [workspaceId],
  )
  return Object.fromEntries(found.rows.map(({ id, ip }) => [id, ip]))
}

class Killed extends Error {}

/** The same work, by a process that dies before or after its n-th call of anything outside of itself. */
const dying = (of: Ending, at: number, when: 'before' | 'after'): Ending => {
  let calls = 0
  const counted =
    <Args extends readonly unknown[], Result>(work: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      const call = ++calls
      if (call > at || (call === at && when === 'before')) throw new Killed()
      const result = await work(...args)
      if (call === at) throw new Killed()
      return result
    }
  const { commands, keyRing, pool } = of
  const query = counted((text: string, values?: unknown[]) => pool.query(text, values)) as typeof pool.query
  return {
    ...of,
    pool: { query },
    commands: { execute: counted(commands.execute as never) as typeof commands.execute },
    keyRing: { endDetails: counted(keyRing.endDetails), endedDetails: keyRing.endedDetails },
  }
}

const history = fc.record({
  days: fc.array(fc.integer({ min: 0, max: 41 }), { minLength: 1, maxLength: 8 }),
  rounds: fc.array(fc.record({ day: fc.integer({ min: 0, max: 60 }), dies: fc.integer({ min: 1, max: 14 }), after: fc.boolean() }), {
    minLength: 1,
    maxLength: 4,
  }),
})

test('whatever the history, and wherever it dies, what has ended is nowhere, the rest is there, and the log gives the same', async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ days, rounds }) => {
      const workspaceId = asWorkspaceId(await newWorkspace())
      const contacts: { contactId: ContactId; day: number; n: number }[] = []
      for (const [n, day] of days.entries()) contacts.push({ contactId: asContactId(await consent(workspaceId, { day, n })), day, n })
      await shown()
      for (const { day, dies, after } of rounds)
        await run(detailTasks(dying(ending(stores, day), dies, after ? 'after' : 'before'))).catch((error: unknown) => {
          if (!(error instanceof Killed)) throw error
        })
      const last = Math.max(...rounds.map(({ day }) => day))
      await run(detailTasks(ending(stores, last)))
      const live = await rows(workspaceId)
      for (const { contactId, day, n } of contacts) {
        const hasEnded = Math.floor(day / 7) < Math.floor((last - 7) / 7)
        const expected = hasEnded ? GONE : kept(n)
        expect(await addressIn(stores, workspaceId, contactId)).toEqual(expected)
        expect(live[contactId]).toBe(expected.ip)
      }
    }),
    { numRuns: 6 },
  )
  const before = await db.pool.query('select * from read.consent_history order by workspace_id, contact_id, revision')
  const [projection] = projections.filter(({ name }) => name === 'consent_history')
  await rebuild({ projection: projection!, log: other.log, pool: other.workPool })
  const rebuilt = await db.pool.query('select * from read.consent_history order by workspace_id, contact_id, revision')
  expect(rebuilt.rows).toEqual(before.rows)
}, 600_000)

test('another process has opened it, and shows it no more once it has the event', async () => {
  const workspaceId = asWorkspaceId(await newWorkspace())
  const contactId = asContactId(await consent(workspaceId, { day: 1, n: 1 }))
  await shown()
  expect(await addressIn(other, workspaceId, contactId)).toEqual(kept(1))
  await run(detailTasks(ending(stores, 30)))
  const view = endedDetailsView(other.keyRing)
  const ends = await other.log.readStream(workspaceId, retentionStream(workspaceId))
  expect(ends.map(({ type, data }) => ({ type, data }))).toEqual([{ type: 'DetailsEnded', data: { kind: 'client', until: '2026-01-26' } }])
  for (const event of ends) view.apply(event)
  expect(other.keyRing.cached(workspaceId, 'period:client:2026-01-05')).toBeUndefined()
  expect(await addressIn(other, workspaceId, contactId)).toEqual(GONE)
  await expect(other.keyRing.keyFor(workspaceId, 'period:client:2026-01-05')).rejects.toThrow(SubjectErased)
})

test('a process whose clock is years ahead ends nothing that the clock of the database does not end too', async () => {
  const workspaceId = asWorkspaceId(await newWorkspace())
  const today = (Date.now() - START) / DAY_MS
  const contactId = asContactId(await consent(workspaceId, { day: today, n: 6 }))
  await shown()
  await run(detailTasks(ending(stores, today + 3_650)))
  expect(await addressIn(stores, workspaceId, contactId)).toEqual(kept(6))
})

test('what comes into an ended week later is written without its details', async () => {
  const workspaceId = asWorkspaceId(await newWorkspace())
  await consent(workspaceId, { day: 1, n: 1 })
  await shown()
  await run(detailTasks(ending(stores, 30)))
  const late = asContactId(await consent(workspaceId, { day: 1, n: 2 }))
  expect(await addressIn(stores, workspaceId, late)).toMatchObject({ ip: null, userAgent: null })
})

test('an event from before there were keys of weeks is shown no more either, and opens until then', async () => {
  const workspaceId = asWorkspaceId(await newWorkspace())
  const { ending: _, ...personal } = eventDeclarations.ContactConsentRecorded!.personal!
  const declarations = { ...eventDeclarations, ContactConsentRecorded: { version: 2, personal } }
  const older = createEventLog({ store: stores.store, declarations, upcasters, keyRing: stores.keyRing })
  const contactId = asContactId(await consent(workspaceId, { day: 1, n: 3 }, older))
  await shown()
  expect(await addressIn(stores, workspaceId, contactId)).toEqual(kept(3))
  await run(detailTasks(ending(stores, 30)))
  expect(await addressIn(stores, workspaceId, contactId)).toEqual(GONE)
  expect(await rows(workspaceId)).toEqual({ [contactId]: null })
})

test('keys that a restore brings back are destroyed again, whatever the settings are by then', async () => {
  const workspaceId = asWorkspaceId(await newWorkspace())
  const contactId = asContactId(await consent(workspaceId, { day: 1, n: 4 }))
  await shown()
  const { rows: copied } = await db.pool.query(
    `select subject, wrapped from keys.subject_key where workspace_id = $1 and subject like 'period:%'`,
    [workspaceId],
  )
  await run(detailTasks(ending(stores, 30)))
  await db.pool.query('delete from keys.ended_details where workspace_id = $1', [workspaceId])
  for (const { subject, wrapped } of copied)
    await db.pool.query('update keys.subject_key set wrapped = $3, shredded_at = null where workspace_id = $1 and subject = $2', [
      workspaceId,
      subject,
      wrapped,
    ])
  const restored = await opened()
  try {
    expect(await addressIn(restored, workspaceId, contactId)).toEqual(kept(4))
    await run(detailTasks(ending(restored, 30, { client: null, content: null })))
    expect(await addressIn(restored, workspaceId, contactId)).toEqual(GONE)
    const { rowCount } = await db.pool.query(
      `select 1 from keys.subject_key where workspace_id = $1 and subject like 'period:%' and wrapped is not null`,
      [workspaceId],
    )
    expect(rowCount).toBe(0)
  } finally {
    await restored.close()
  }
})

test('tables that a swap took out bring nothing back that has ended, also where they come back while rows are cleared', async () => {
  const workspaceId = asWorkspaceId(await newWorkspace())
  const contactId = await consent(workspaceId, { day: 1, n: 5 })
  await shown()
  const [projection] = projections.filter(({ name }) => name === 'consent_history')
  const options = { projection: projection!, log: other.log, pool: other.workPool }
  await rebuildBeside(options)
  await swapNext(options)
  const tasks = detailTasks(ending(stores, 30))
  await run(tasks.slice(0, -1))
  await tasks.at(-1)!.run(1)
  await swapBack(options)
  expect(await rows(workspaceId)).toEqual({ [contactId]: ipOf(5) })
  await run(tasks.slice(-1))
  await run(tasks.slice(-1))
  expect(await rows(workspaceId)).toEqual({ [contactId]: null })
})

test('a workspace whose end cannot be made delays no other', async () => {
  const broken = asWorkspaceId(await newWorkspace())
  await consent(broken, { day: 1, n: 7 })
  const workspaceId = asWorkspaceId(await newWorkspace())
  const contactId = asContactId(await consent(workspaceId, { day: 1, n: 8 }))
  await shown()
  const { keyRing, ...rest } = ending(stores, 30)
  const endDetails: typeof keyRing.endDetails = async (end) => {
    if (end.workspaceId === broken) throw new Error('not this one')
    await keyRing.endDetails(end)
  }
  const fails = () => run(detailTasks({ ...rest, keyRing: { ...keyRing, endDetails } }))
  await expect(fails()).rejects.toThrow('not this one')
  expect(await addressIn(stores, workspaceId, contactId)).toEqual(GONE)
  // The log knows its end by now.
  await expect(fails()).rejects.toThrow('not this one')
})
