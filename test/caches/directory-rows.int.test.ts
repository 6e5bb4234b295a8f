import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createEventLog, type EventLog, memoryKeyRing, upcasters } from '@tidings/codec'
import { type CachedDirectory, createDirectory } from '@tidings/directory'
import {
  asContactId,
  asTemplateId,
  asWorkspaceId,
  type ContactId,
  contactStream,
  customFieldStream,
  type DomainEvent,
  eventDeclarations,
  senderIdsStream,
  templateStream,
  type WorkspaceId,
  workspaceStream,
} from '@tidings/domain'
import { comparePositions, type Position } from '@tidings/event-store'
import { memoryEventStore } from '@tidings/event-store/memory'
import { createFollower, type Follower } from '@tidings/log-views'
import { createProgress, runProjection } from '@tidings/projections'
import { projections } from '@tidings/projectors'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { contactLife } from '../../projectors/test/contact-events.ts'
import { customFieldLife, senderIdsLife } from '../../projectors/test/lookup-events.ts'
import { templateLife, workspaceLife } from '../../projectors/test/workspace-events.ts'
import { emptyTables } from '../search/read-model.ts'

const FOLLOWED = ['profiles', 'workspaces', 'templates', 'forms', 'sender_addresses', 'sms_senders', 'custom_fields']
const followed = projections.filter(({ name }) => FOLLOWED.includes(name))

let database: TestDatabase
let log: EventLog
let directory: CachedDirectory
let follower: Follower
const progress = createProgress()
const stops: (() => Promise<unknown>)[] = []
const failures: unknown[] = []

beforeAll(async () => {
  database = await testDatabase()
  const { pool } = database
  log = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing: memoryKeyRing() })
  await emptyTables(pool, FOLLOWED)
  const onFailure = (_: string, error: unknown) => failures.push(error)
  for (const projection of followed) stops.push(runProjection({ pool, log, projection, progress, owner: randomUUID(), onFailure }).stop)
  directory = createDirectory(pool)
  follower = createFollower({ log, views: directory.caches })
  stops.push(follower.close)
})
afterAll(async () => {
  await Promise.all(stops.map((stop) => stop()))
  await log.close()
  await database.drop()
})

/** Waits until the read models and the caches are there. */
const reached = async (position: Position): Promise<void> => {
  const isBehind = (at: Position | null | undefined) => at === null || at === undefined || comparePositions(at, position) < 0
  while (isBehind(follower.position()) || followed.some(({ name }) => isBehind(progress.of(name)?.position))) {
    if (failures.length > 0) throw failures[0]
    await sleep(1)
  }
}

type Step = Readonly<{ stream: string; event: DomainEvent }>
type Life = Readonly<{ workspaceId: WorkspaceId; contactId: ContactId; templateId: string; steps: readonly Step[] }>

/** What the tables have once only: those of the lives before are there. */
const unlikeAnyBefore = (event: DomainEvent): DomainEvent =>
  event.type === 'ApiKeyCreated'
    ? { ...event, data: { ...event.data, hash: createHash('sha256').update(randomUUID()).digest('hex') } }
    : event

/** Each ends with an erasure. */
const erasedLife = (contactId: ContactId) => contactLife(contactId).filter((events) => events.at(-1)?.type === 'ContactErased')

const ids = fc.constant(null).map(() => [asWorkspaceId(randomUUID()), asContactId(randomUUID()), randomUUID()] as const)

/** A workspace with a contact and a template, each of their streams in its own order. */
const lives: fc.Arbitrary<Life> = ids.chain(([workspaceId, contactId, templateId]) =>
  fc
    .tuple(
      workspaceLife(workspaceId).map((events) => ({ stream: workspaceStream(workspaceId), events })),
      senderIdsLife.map((events) => ({ stream: senderIdsStream(workspaceId), events })),
      erasedLife(contactId).map((events) => ({ stream: contactStream(workspaceId, contactId), events })),
      customFieldLife(templateId).map((events) => ({ stream: customFieldStream(workspaceId, templateId), events })),
      templateLife(asTemplateId(templateId)).map((events) => ({ stream: templateStream(workspaceId, asTemplateId(templateId)), events })),
    )
    .map((streams) => {
      const steps = streams.flatMap(({ stream, events }) =>
        (events as readonly DomainEvent[]).map((event, at) => ({ stream, event: unlikeAnyBefore(event), at })),
      )
      return {
        workspaceId,
        contactId,
        templateId,
        steps: steps.sort((a, b) => a.at - b.at).map(({ stream, event }) => ({ stream, event })),
      }
    }),
)

/** Everything that has been the value of one of the columns that rows are found by. */
const names = ({ steps }: Life) => {
  const all = steps.map(({ event }) => event)
  const values = (field: 'email' | 'phone') =>
    all
      .flatMap(({ data }) => (field in data ? [Reflect.get(data, field)] : []))
      .filter((value): value is string => typeof value === 'string')
  const hashes = all.flatMap((event) => (event.type === 'ApiKeyCreated' ? [event.data.hash] : []))
  return { emails: new Set(values('email')), phones: new Set(values('phone')), hashes: new Set(hashes) }
}

/** What the directory answers about all of a life. */
const answers = async (of: CachedDirectory, life: Life) => {
  const { workspaceId, contactId, templateId } = life
  const { emails, phones, hashes } = names(life)
  return await Promise.all([
    of.findWorkspace(workspaceId),
    of.forms(workspaceId),
    of.customFields(workspaceId),
    of.template(workspaceId, asTemplateId(templateId)),
    of.contact(workspaceId, contactId),
    ...[...emails].map((email) => of.contactBy(workspaceId, { email })),
    ...[...phones].map((phone) => of.contactBy(workspaceId, { phone })),
    ...[...hashes].map((hash) => of.findKey(hash)),
  ])
}

const context = (workspaceId: WorkspaceId) => ({
  commandId: randomUUID(),
  workspaceId,
  actor: 'test',
  requestId: 'test',
  at: '2026-11-28T12:00:00.000Z',
})

test('what is cached is, after each event of any type, what the tables say', { timeout: 600_000 }, async () => {
  const types = new Set<string>()
  await fc.assert(
    fc.asyncProperty(lives, async (life) => {
      for (const { stream, event } of life.steps) {
        // Warm: what this event changes is in memory, where anything is.
        await answers(directory, life)
        await reached(await appended(life.workspaceId, stream, event))
        types.add(event.type)
        expect(await answers(directory, life), event.type).toEqual(await answers(createDirectory(database.pool), life))
      }
    }),
    // The case is not shrunk: the tables have the first half of what failed.
    { numRuns: 30, endOnFailure: true },
  )
  // It compared what was really in memory, and an erasure went through.
  const hits = (of: string): number => directory.caches.find(({ name }) => name === of)?.counts().hits ?? 0
  for (const name of ['contacts by id', 'workspaces', 'templates', 'custom fields']) expect(hits(name), name).toBeGreaterThan(10)
  expect([...types]).toEqual(expect.arrayContaining(['ContactErasureRequested', 'ContactErased']))
})

const appended = async (workspaceId: WorkspaceId, stream: string, event: DomainEvent): Promise<Position> =>
  (await log.append(stream, 'any', [event], context(workspaceId))).position

test('a person whose key is destroyed is never found, also where the read models are behind and the caches follow nothing', async () => {
  const [workspaceId, contactId] = [asWorkspaceId(randomUUID()), asContactId(randomUUID())]
  const email = `${contactId}@example.com`
  const nothing = { firstName: null, lastName: null, timezone: null, locale: null, notes: null, tags: [], customProperties: {} }
  const data = { contactId, email, emailClaimId: null, phone: null, phoneClaimId: null, source: 'test', ...nothing }
  await reached(await appended(workspaceId, contactStream(workspaceId, contactId), { type: 'ContactCreated', data }))
  const behind = createDirectory(database.pool)
  const found = async () => [await behind.contact(workspaceId, contactId), await behind.contactBy(workspaceId, { email })]
  expect(await found()).toMatchObject([{ contactId }, { contactId }])
  await database.pool.query('insert into keys.subject_key (workspace_id, subject, version, shredded_at) values ($1, $2, 1, now())', [
    workspaceId,
    `contact:${contactId}`,
  ])
  expect(await found()).toEqual([null, null])
})
