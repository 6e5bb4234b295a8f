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
