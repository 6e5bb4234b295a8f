import { randomUUID } from 'node:crypto'
import type { EventLog } from '@tidings/codec'
import { asContactId, asListId, asWorkspaceId, type ContactId, type DomainEvent, listStream, membersStream } from '@tidings/domain'
import { kyselyOn } from '@tidings/postgres'
import { listParked } from '@tidings/projections'
import { memberCounts, type ReadModels } from '@tidings/read-models'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { listsProjection } from '../src/lists/lists.projection.ts'
import { memoryLog, write } from './log.ts'
import { forget, runToHead } from './tables.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase()
})
beforeEach(() => forget(database.pool, [listsProjection]))
afterAll(() => database.drop())

const [workspaceId, other, listId] = [asWorkspaceId(randomUUID()), asWorkspaceId(randomUUID()), randomUUID()]
const people = Array.from({ length: 5 }, () => asContactId(randomUUID()))
const AT = '2026-01-01T00:00:00.000Z'

const added = (contactId: ContactId, list = asListId(listId)): DomainEvent => ({
  type: 'ContactAddedToList',
  data: { listId: list, contactId, reason: 'request' },
})
const removed = (contactId: ContactId): DomainEvent => ({
  type: 'ContactRemovedFromList',
  data: { listId: asListId(listId), contactId, reason: 'request' },
})
const inBucket = (log: EventLog, bucket: string, ...events: readonly DomainEvent[]) =>
  write(
    log,
    events.map((event) => ({ workspaceId, stream: membersStream(workspaceId, asListId(listId), bucket), event, at: AT })),
  )

test('an event that Postgres refuses parks its bucket; the other buckets and the count go on without it', async () => {
  const { pool } = database
  const log = memoryLog()
  const created: DomainEvent = { type: 'ListCreated', data: { listId: asListId(listId), name: 'VIP', listType: 'static' } }
  await write(log, [{ workspaceId, stream: listStream(workspaceId, asListId(listId)), event: created, at: AT }])
  const [ann, bob, cid, dan] = people as [ContactId, ContactId, ContactId, ContactId]
  await inBucket(log, '0001', added(ann), added(bob))
  await inBucket(log, '0002', added(cid), added(asContactId('not a uuid')), added(dan))
  await inBucket(log, '0001', removed(ann))
  await runToHead({ pool, log, projections: [listsProjection] })

  expect(await listParked(pool, 'lists')).toMatchObject([{ stream: membersStream(workspaceId, asListId(listId), '0002'), revision: 1 }])
  const count = memberCounts(kyselyOn<ReadModels>(pool))
  expect(await count({ workspaceId, listId: asListId(listId), contactIds: people })).toEqual({ total: 2, among: 2 })
})

test('members are counted in their own workspace and list only, under ids that others have too', async () => {
  const { pool } = database
  const log = memoryLog()
  const [ann, bob, cid] = people as [ContactId, ContactId, ContactId]
  await inBucket(log, '0001', added(ann), added(bob))
  const elsewhere = asListId(randomUUID())
  await write(log, [
    { workspaceId: other, stream: membersStream(other, asListId(listId), '0001'), event: added(cid), at: AT },
    { workspaceId, stream: membersStream(workspaceId, elsewhere, '0001'), event: added(cid, elsewhere), at: AT },
  ])
  await runToHead({ pool, log, projections: [listsProjection] })
  const count = memberCounts(kyselyOn<ReadModels>(pool))
  const counted = await Promise.all([
    count({ workspaceId, listId: asListId(listId), contactIds: [ann, cid] }),
    count({ workspaceId: other, listId: asListId(listId), contactIds: [ann, cid] }),
    count({ workspaceId, listId: asListId(randomUUID()), contactIds: [ann] }),
    count({ workspaceId, listId: asListId(listId), contactIds: [] }),
  ])
  expect(counted).toEqual([
    { total: 2, among: 1 },
    { total: 1, among: 1 },
    { total: 0, among: 0 },
    { total: 2, among: 0 },
  ])
})
