import { asCampaignId, asListId, asWorkspaceId } from '@tidings/domain'
import { patientPool, type TestDatabase, testDatabase } from '@tidings/testing'
import type { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runLeases, takeDue, wake } from '../../src/campaigns/run-table.ts'
import { takeAudience } from '../../src/campaigns/take-audience.ts'

/** As the read side makes them, with the indices that a plan may take for a look at one profile. */
const READ_MODELS = `create schema if not exists read;
  create table read.list_members (workspace_id uuid, list_id uuid, contact_id uuid, added_at timestamptz, primary key (workspace_id, list_id, contact_id));
  create table read.profiles (workspace_id uuid, id uuid, email text, phone text, email_consent text, sms_consent text, created_at timestamptz,
    primary key (workspace_id, id));
  create index on read.profiles (workspace_id, created_at, id);
  create index on read.profiles (workspace_id, email, id);
  create index on read.profiles (workspace_id, email_consent, created_at, id) where email_consent <> 'never_subscribed';
  create index on read.profiles (workspace_id, sms_consent, created_at, id) where sms_consent <> 'never_subscribed'`

const MEMBERS = 4_000
const workspaceId = asWorkspaceId(crypto.randomUUID())
const listId = asListId(crypto.randomUUID())
let db: TestDatabase
/** Has one connection, so that what it has counted can be asked of it. */
let pool: Pool

beforeAll(async () => {
  db = await testDatabase()
  pool = patientPool({ url: db.url, max: 1, name: 'test' })
  await pool.query(READ_MODELS)
  await pool.query(
    `insert into read.profiles
     select $1, gen_random_uuid(), case when n % 10 > 0 then n || '@example.com' end, '+97250000' || n,
       case when n % 4 = 0 then 'unsubscribed' else 'subscribed' end, 'subscribed', now() from generate_series(1, $2::int) n`,
    [workspaceId, MEMBERS],
  )
  await pool.query('insert into read.list_members select workspace_id, $1, id, created_at from read.profiles', [listId])
})
afterAll(async () => {
  await pool.end()
  await db.drop()
})

/** The blocks of indices of profiles that were looked at so far. */
const blocks = async (): Promise<number> => {
  await pool.query('select pg_stat_force_next_flush()')
  const { rows } = await pool.query<{ blocks: number }>(
    `select (idx_blks_hit + idx_blks_read)::int as blocks from pg_statio_user_tables where schemaname = 'read' and relname = 'profiles'`,
  )
  return rows[0]?.blocks ?? Number.NaN
}

test.each(['email', 'sms'] as const)(
  'an audience (%s) costs a look at each member, also in a database that has no statistics yet',
  async (channel) => {
    const client = await pool.connect()
    await wake(client, [{ workspaceId, campaignId: asCampaignId(crypto.randomUUID()) }])
    client.release()
    const owned = await takeDue(pool, crypto.randomUUID(), Date.now())
    if (owned === null) throw new Error('no campaign is due')
    const before = await blocks()
    const recipients = await takeAudience(pool, owned, { channel, listId, joinedBy: new Date(Date.now() + 60_000).toISOString() })
    // Every tenth has no address, every fourth no consent.
    expect(recipients).toBe(channel === 'email' ? (MEMBERS * 7) / 10 : MEMBERS)
    // A walk over the contacts with a consent for each member would be forty times as much.
    expect((await blocks()) - before).toBeLessThan(6 * MEMBERS)
    await runLeases.releaseAll(pool)
  },
)
