import { asCampaignId, asContactId, asWorkspaceId, type ContactId } from '@tidings/domain'
import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import type { PoolClient } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { forgetRecipients, recipientsAfter, resolve } from '../../src/campaigns/recipient-table.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())
beforeEach(async () => {
  await db.pool.query('truncate ops.campaign_recipient')
})

const campaign = { workspaceId: asWorkspaceId(crypto.randomUUID()), campaignId: asCampaignId(crypto.randomUUID()) }
const contact = (n: number): ContactId => asContactId(`00000000-0000-4000-8000-00000000000${n}`)
const recipients = (...numbers: readonly number[]) => numbers.map((n) => ({ ...campaign, contactId: contact(n) }))
const write = (...numbers: readonly number[]) =>
  db.pool.query('insert into ops.campaign_recipient select $1, $2, unnest($3::uuid[])', [
    campaign.workspaceId,
    campaign.campaignId,
    numbers.map(contact),
  ])
const left = () => recipientsAfter(db.pool, campaign, { after: contact(0), limit: 100 })

/** What the consumer of campaigns makes of outcomes in the order of the log. */
const resolveInOrderOfLog = (...numbers: readonly number[]) => {
  const columns = [numbers.map(() => campaign.workspaceId), numbers.map(() => campaign.campaignId), numbers.map(contact)]
  return db.pool.query(
    'select ops.resolve_campaign_messages($1::uuid[], $2::uuid[], $3::uuid[], array[]::uuid[], array[]::boolean[], array[]::int[])',
    columns,
  )
}

const waiting = async (): Promise<number> =>
  (await db.pool.query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)).rowCount ?? 0

/** Another process has the recipient at work while the given ones begin, each of which meets a lock before the next begins. */
async function whileLocked(n: number, begin: readonly (() => Promise<unknown>)[]): Promise<readonly PromiseSettledResult<unknown>[]> {
  const holder: PoolClient = await db.pool.connect()
  await holder.query('begin')
  await holder.query('select from ops.campaign_recipient where contact_id = $1 for update', [contact(n)])
  const begun: Promise<unknown>[] = []
  for (const one of begin) {
    begun.push(one())
    await until(async () => expect(await waiting()).toBe(begun.length))
  }
  const settled = Promise.allSettled(begun)
  await holder.query('rollback')
  holder.release()
  return await settled
}

describe('recipients that several resolve at once', () => {
  test('are resolved by a planner and by the consumer, in whatever order each has them', async () => {
    await write(1, 2, 3)
    const ended = await whileLocked(2, [() => resolveInOrderOfLog(3, 2, 1), () => resolve(db.pool, recipients(1, 2, 3))])
    expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
    expect(await left()).toEqual([])
  })

  test('are forgotten while the consumer resolves them', async () => {
    await write(1, 2, 3)
    const ended = await whileLocked(2, [() => resolveInOrderOfLog(3, 2, 1), () => forgetRecipients(db.pool, campaign, 10)])
    expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
    expect(await left()).toEqual([])
  })
})

test('a part of the audience that is as large as it may be is answered as such, whatever is resolved meanwhile', async () => {
  await write(1, 2, 3, 4, 5)
  const resolving = await db.pool.connect()
  await resolving.query('begin')
  await resolve(resolving, recipients(1))
  const forgetting = forgetRecipients(db.pool, campaign, 2)
  await until(async () => expect(await waiting()).toBe(1))
  await resolving.query('commit')
  resolving.release()
  // Fewer would say that nothing is left.
  expect(await forgetting).toBe(2)
})

test('whether a campaign has a recipient left is seen without a walk over those that have gone', async () => {
  const { workspaceId, campaignId } = campaign
  await db.pool.query(`insert into ops.campaign_run (campaign_id, workspace_id, due_at) values ($1, $2, 'infinity')`, [
    campaignId,
    workspaceId,
  ])
  await db.pool.query('insert into ops.campaign_recipient select $1, $2, gen_random_uuid() from generate_series(1, 3000)', [
    workspaceId,
    campaignId,
  ])
  // What it sees cannot be cleaned up meanwhile.
  const holder = await db.pool.connect()
  await holder.query('begin isolation level repeatable read')
  await holder.query('select from ops.campaign_recipient limit 1')
  await db.pool.query(
    `delete from ops.campaign_recipient r using (select contact_id from ops.campaign_recipient order by contact_id limit 2990) gone
     where r.contact_id = gone.contact_id`,
  )
  type Explained = Readonly<{
    'QUERY PLAN': readonly Readonly<{ Plan: Readonly<{ 'Shared Hit Blocks': number; 'Shared Read Blocks': number }> }>[]
  }>
  const look = `select ops.count_campaign_outcomes(array['${campaignId}']::uuid[], array[true], array[0])`
  const looking = await db.pool.connect()
  // The first look of a session reads what plans need.
  await looking.query(look)
  const { rows } = await looking.query<Explained>(`explain (analyze, buffers, format json) ${look}`)
  looking.release()
  await holder.query('rollback')
  holder.release()
  const { 'Shared Hit Blocks': hit, 'Shared Read Blocks': read } = rows[0]!['QUERY PLAN'][0]!.Plan
  expect(hit + read).toBeLessThan(300)
  await db.pool.query('truncate ops.campaign_run')
})
