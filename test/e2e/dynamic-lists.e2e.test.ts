import { randomUUID } from 'node:crypto'
import { asContactId, asListId, bucketOf, membersStream } from '@tidings/domain'
import { rebuild } from '@tidings/projections'
import { projections } from '@tidings/projectors'
import { until } from '@tidings/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { outcome, uncoded } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { actualMembers, untilSettled } from './support/list-members.ts'
import { listsOf } from './support/lists.ts'
import { profilesOf } from './support/profiles.ts'
import { storedEvents } from './support/stored-log.ts'
import { startWorld, type World } from './support/world.ts'

let world: World
let acme: Client
let other: Client

const file = (spend: number): string => `lists:
  - { name: Big spenders, type: dynamic, rule: { all: [ { field: customProperties.spend, op: gte, value: ${spend} } ] } }
  - { name: Active, type: dynamic, rule: { any: [ { field: event.viewed.last, op: within_days, value: 0.0003 }, { field: event.viewed.count, op: gte, value: 3 } ] } }
  - { name: No texts, type: dynamic, rule: { all: [ { field: smsSuppressed, op: eq, value: true } ] } }
  - { name: Named, type: static }`

beforeAll(async () => {
  world = await startWorld()
  acme = await world.workspace('acme', file(1000))
  other = await world.workspace('other', file(1))
})
afterAll(() => world.stop())

const emailsOn = async (name: string, client = acme) => {
  const { items } = await profilesOf(client).list(`?segmentId=${listsOf(client).id(name)}&limit=200`)
  return items.map(({ email }) => email).toSorted()
}
const shows = (name: string, emails: readonly (string | null)[], client = acme) =>
  until(async () => expect(await emailsOn(name, client)).toEqual(emails))
const ingest = (email: string | null) => acme.request('POST', '/events/ingest', { event: 'viewed', email })

it('has the contacts of whom its rule holds, as they come and change, and counts them', async () => {
  const { upsert } = profilesOf(acme)
  await upsert({ email: 'ann@dynamic.example', customProperties: { spend: 1500 } })
  await upsert({ email: 'bob@dynamic.example', customProperties: { spend: 999 } })
  await shows('Big spenders', ['ann@dynamic.example'])
  await upsert({ email: 'bob@dynamic.example', customProperties: { spend: 1000 } })
  await upsert({ email: 'ann@dynamic.example', customProperties: { spend: null } })
  await shows('Big spenders', ['bob@dynamic.example'])
  await until(async () => {
    const { items } = await listsOf(acme).page()
    expect(items.find(({ name }) => name === 'Big spenders')).toMatchObject({ type: 'dynamic', profiles: 1 })
  })
})

it('has whom a channel is blocked for, email and SMS alike', async () => {
  const { create, blacklist, lift } = profilesOf(acme)
  const { id: contactId } = await create({ email: 'dee@dynamic.example', phone: '+972501234567' })
  await blacklist({ contactId, channel: 'email' })
  await blacklist({ contactId, channel: 'sms' })
  await shows('No texts', ['dee@dynamic.example'])
  await lift({ contactId, channel: 'sms' })
  await shows('No texts', [])
})

it('takes no members by name', async () => {
  const { id } = listsOf(acme)
  const answer = await acme.request('POST', `/public/lists/${id('Big spenders')}/members`, { emails: ['ann@dynamic.example'] })
  expect(outcome(answer)).toEqual(uncoded(400, 'Only static lists can be modified'))
})

it('follows events, and lets a contact go when the time of its rule is over', async () => {
  const cid = await profilesOf(acme).create({ email: 'cid@dynamic.example' })
  await ingest(cid.email)
  const listId = listsOf(acme).id('Active')
  await until(async () => {
    const moves = (await storedEvents(world.stores.store)).filter(({ stream }) => stream.includes(listId) && stream.startsWith('members-'))
    expect(moves.map(({ type, data }) => [type, (JSON.parse(data) as { reason: string }).reason])).toEqual([
      ['ContactAddedToList', expect.stringMatching(/^(contact|event)$/)],
      ['ContactRemovedFromList', 'time'],
    ])
  })
  await shows('Active', [])
})

it('corrects what a worker wrote that had lost its job', async () => {
  const workspaceId = acme.applied.workspace.id
  const listId = asListId(listsOf(acme).id('Big spenders'))
  const { id: contactId } = await profilesOf(acme).create({ email: 'eve@dynamic.example' })
  const stream = membersStream(workspaceId, listId, bucketOf(asContactId(contactId)))
  const context = { commandId: randomUUID(), workspaceId, actor: 'pipeline', requestId: 'late', at: new Date().toISOString() }
  await world.stores.log.append(stream, 'any', [{ type: 'ContactAddedToList', data: { listId, contactId, reason: 'contact' } }], context)
  const types = async () => (await world.stores.log.readStream(workspaceId, stream)).map(({ type }) => type)
  await until(async () => expect(await types()).toEqual(['ContactAddedToList', 'ContactRemovedFromList']))
})

it('of another workspace has its own contacts only', async () => {
  await profilesOf(other).upsert({ email: 'zoe@other.example', customProperties: { spend: 5000 } })
  await shows('Big spenders', ['zoe@other.example'], other)
  await shows('Big spenders', ['bob@dynamic.example'])
})

it('is brought into line with a changed rule', async () => {
  await profilesOf(acme).upsert({ email: 'dan@dynamic.example', customProperties: { spend: 20 } })
  await world.workspace('acme', file(10))
  await shows('Big spenders', ['bob@dynamic.example', 'dan@dynamic.example'])
  await world.workspace('acme', file(900))
  await shows('Big spenders', ['bob@dynamic.example'])
})

it('loses a person who was erased and has no profile any more, when its rule changes', async () => {
  const { pool, keyRing } = world.stores
  const workspaceId = acme.applied.workspace.id
  const listId = listsOf(acme).id('Big spenders')
  const { id: contactId } = await profilesOf(acme).create({ email: 'gone@dynamic.example', customProperties: { spend: 5000 } })
  const members = async () =>
    (await pool.query('select 1 from read.list_members where list_id = $1 and contact_id = $2', [listId, contactId])).rowCount
  await until(async () => expect(await members()).toBe(1))
  await keyRing.shred(workspaceId, `contact:${contactId}`)
  // A rebuild of the profiles does the same.
  await pool.query('delete from read.profiles where workspace_id = $1 and id = $2', [workspaceId, contactId])
  await world.workspace('acme', file(800))
  await until(async () => expect(await members()).toBe(0))
  await shows('Big spenders', ['bob@dynamic.example'])
})

it('has the same members when its tables are built anew from the log, for whatever reason they came or went', async () => {
  const { pool, workPool, log, store } = world.stores
  const workspaceId = acme.applied.workspace.id
  await untilSettled(world.stores, workspaceId)
  const moves = (await storedEvents(store)).filter(({ stream }) => stream.startsWith('members-'))
  const reasons = new Set(moves.map(({ data }) => (JSON.parse(data) as { reason: string }).reason))
  expect([...reasons].toSorted()).toEqual(expect.arrayContaining(['contact', 'rule', 'time']))
  const live = await actualMembers(world.stores, workspaceId)
  expect(live.length).toBeGreaterThan(0)
  const projection = projections.find(({ name }) => name === 'lists')
  if (projection === undefined) throw new Error('no projection is named lists')
  expect((await rebuild({ projection, log, pool: workPool })).parked).toBe(0)
  expect((await actualMembers(world.stores, workspaceId)).toSorted()).toEqual(live.toSorted())
  const { rows } = await pool.query('select 1 from read.list_members where workspace_id <> $1', [workspaceId])
  expect(rows.length).toBeGreaterThan(0)
})
