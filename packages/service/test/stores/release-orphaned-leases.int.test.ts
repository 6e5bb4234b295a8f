import { patientPool, type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { releaseOrphanedLeases } from '../../src/stores/release-orphaned-leases.ts'
import { WORK } from '../../src/stores/work.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
  await db.pool.query(
    `insert into inbox.job (kind, lane, seq, workspace_id, payload, due_at, token)
     values ('k', 1, 1, gen_random_uuid(), 'held', clock_timestamp() + interval '1 hour', 1);
     insert into ops.projection_lease values ('profiles', 'dead', 1, clock_timestamp() + interval '1 hour');
     insert into ops.consumer_checkpoint (consumer_group, position_commit, position_prepare, owner, lease_until)
     values ('mail', 1, 0, gen_random_uuid(), clock_timestamp() + interval '1 hour');
     insert into ops.bounce_mailbox values ('bounces@mail.example', 'dead', 1, clock_timestamp() + interval '1 hour');
     insert into ops.task_lease values ('wallets', 'dead', 1, clock_timestamp() + interval '1 hour');
     insert into ops.relay (topic, partitions, types, position_commit, position_prepare, owner, lease_until)
     values ('t', 1, '{}', 1, 0, gen_random_uuid(), clock_timestamp() + interval '1 hour');
     insert into ops.idempotency (workspace_id, method, path, key, body_hash, command_id, lease_until, expires_at)
     values (gen_random_uuid(), 'POST', '/', 'k', '', gen_random_uuid(), now() + interval '1 hour', now() + interval '24 hours')`,
  )
})
afterAll(() => db.drop())

test('leases stay while a work connection is open, and are released once none is', async () => {
  const other = patientPool({ url: db.url, max: 1, name: WORK })
  await other.query('select 1')
  expect(await releaseOrphanedLeases(db.pool)).toBe(0)
  await other.end()
  // The server counts a connection for a moment after its client has ended it.
  await expect.poll(() => releaseOrphanedLeases(db.pool)).toBe(7)
  expect(await releaseOrphanedLeases(db.pool)).toBe(0)
})
