import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { checkProjections } from '../../src/doctor/stores.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
  for (const name of ['messages', 'profiles'])
    await database.pool.query(
      `insert into ops.projection_checkpoint (projection, version, epoch, position_commit, position_prepare) values ($1, 1, 1, 7, 0)`,
      [name],
    )
})
afterAll(() => database.drop())

const log = { head: async () => ({ commit: 9n, prepare: 0n }) }
const check = () => checkProjections({ pool: database.pool, log } as Parameters<typeof checkProjections>[0])
const status = (name: string, heartbeat: string) =>
  database.pool.query(
    `insert into ops.projection_status (projection, owner, state, heartbeat_at) values ($1, 'one', 'live', clock_timestamp() + $2::interval)
     on conflict (projection) do update set heartbeat_at = excluded.heartbeat_at`,
    [name, heartbeat],
  )

it('finds nothing wrong where no process runs at all', async () => {
  await expect(check()).resolves.toContain('2 projections')
})

it('names the projections that no process runs while others answer `pending`, and the role that is missing', async () => {
  await database.pool.query(
    `insert into ops.process (id, role, started_at, heartbeat_at, position_commit, position_prepare)
     values (gen_random_uuid(), 'command-api', now(), clock_timestamp() + interval '1 hour', 9, 0)`,
  )
  await status('messages', '1 hour')
  await status('profiles', '-1 minute')
  await expect(check()).rejects.toThrow(/^no process runs profiles: .*`pending`.*role projectors/)
  await status('profiles', '1 hour')
  await expect(check()).resolves.toContain('2 projections')
})
