import { randomUUID } from 'node:crypto'
import { asContactId, asWorkspaceId, contactStream, type DomainEvent } from '@tidings/domain'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { projections } from '../src/index.ts'
import { memoryLog, write } from './log.ts'
import { runToHead } from './tables.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.drop())

const [workspaceId, contactId] = [asWorkspaceId(randomUUID()), asContactId(randomUUID())]

const created: DomainEvent = {
  type: 'ContactCreated',
  data: {
    ...{ contactId, email: 'ann@acme.example', emailClaimId: null, phone: null, phoneClaimId: null, source: 'api' },
    ...{ firstName: 'Ann', lastName: null, timezone: null, locale: null, notes: null, tags: [], customProperties: {} },
  },
}
const details = (of: Readonly<Record<string, string | null>>): DomainEvent => ({
  type: 'ContactDetailsChanged',
  data: { contactId, ...of },
})

/** Whether the row that a search looks through is as new as the counter of changes: what was counted before it is counted again then. */
const isNewest = async (): Promise<boolean | undefined> => {
  const { rows } = await database.pool.query<{ newest: boolean }>(
    `select (s.last_commit, s.last_prepare) = (t.last_commit, t.last_prepare) as newest
     from read.profile_search s join read.profile_totals t using (workspace_id) where workspace_id = $1 and bucket = 'searched'`,
    [workspaceId],
  )
  return rows[0]?.newest
}

test('what a search looks through is written with each event that names a name, also where the text stays, and with no other', async () => {
  const log = memoryLog()
  const seen: (boolean | undefined)[] = []
  for (const event of [created, details({ notes: 'x' }), details({ firstName: null, lastName: 'Ann' }), details({ locale: 'he' })]) {
    await write(log, [{ workspaceId, stream: contactStream(workspaceId, contactId), event, at: '2026-01-01T00:00:00.123Z' }])
    await runToHead({ pool: database.pool, log, projections: projections.filter(({ name }) => name === 'profiles') })
    seen.push(await isNewest())
  }
  expect(seen).toEqual([true, false, true, false])
})
