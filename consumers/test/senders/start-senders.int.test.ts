import { createRecordLookups } from '@tidings/outbound-http'
import { emailProvider } from '@tidings/providers'
import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startSenders } from '../../src/senders/start-senders.ts'
import { recordingLogger } from '../testing/recording-logger.ts'
import { openRig, type Rig } from '../testing/rig.ts'

let db: TestDatabase
let rig: Rig
beforeAll(async () => {
  db = await testDatabase()
  rig = await openRig(db.pool)
  // The tables that the projections make, as far as the look-up of what is due reads them.
  await db.pool.query(`
    create table read.workspaces (workspace_id uuid primary key, status text);
    create table read.sender_domains (workspace_id uuid, domain text, said_verified boolean, said_blocklisted boolean, token text, proof text,
      configured_at timestamptz)`)
})
afterAll(async () => {
  await rig.close()
  await db.drop()
})

test('where overdue addresses cannot be found, domains are checked all the same', async () => {
  const workspaceId = crypto.randomUUID()
  await db.pool.query(`insert into read.workspaces values ($1, 'active')`, [workspaceId])
  await db.pool.query(`insert into read.sender_domains values ($1, 'acme.example', null, null, null, null, now())`, [workspaceId])
  const provider = await emailProvider({ publicUrl: 'http://127.0.0.1:3000', pool: db.pool, callMs: 60_000, provider: 'outbox' })
  const faults: unknown[] = []
  const senders = startSenders({
    ...rig,
    commands: rig.runner,
    pool: db.pool,
    canWork: () => true,
    email: provider,
    operatorAddress: 'operator@example.com',
    takeMailbox: async () => true,
    lookups: createRecordLookups([]),
    blocklists: [],
    overdue: () => Promise.reject(new Error('no such table')),
    everyMs: 1,
    logger: recordingLogger(faults),
  })
  await until(async () => {
    expect((await db.pool.query('select domain from ops.sender_domain_check')).rows).toEqual([{ domain: 'acme.example' }])
    expect(faults).not.toEqual([])
  })
  await senders.stop()
  await provider.close()
  expect(new Set(faults.map(String))).toEqual(new Set(['Error: no such table']))
})
