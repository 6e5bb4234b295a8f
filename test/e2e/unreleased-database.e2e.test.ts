import { type TestDatabase, testDatabase, UNRELEASED_MIGRATIONS } from '@tidings/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort, runTidings } from './support/service-process.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
  await db.pool.query('drop schema es, keys, ops, inbox, webhooks, lists, proof, outbox, read cascade')
  await db.pool.query('truncate public.schema_migration')
  await db.pool.query('insert into public.schema_migration (name, sha256) select * from unnest($1::text[], $2::text[])', [
    UNRELEASED_MIGRATIONS.map(({ name }) => name),
    UNRELEASED_MIGRATIONS.map(({ sha256 }) => sha256),
  ])
})
afterAll(() => db.drop())

it.each([['migrate'], ['start'], ['backup', '/tmp/never-written']])(
  '%s refuses the database of an unreleased version in one sentence, and leaves it as it is',
  async (...args) => {
    const env = {
      TIDINGS_DATABASE_URL: db.url,
      TIDINGS_MASTER_KEY: 'ab'.repeat(32),
      TIDINGS_LOG_LEVEL: 'error',
      PORT: String(await freePort()),
    }
    const { code, stdout, stderr } = await runTidings(args, env)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(
      /^The database is of an unreleased version of Tidings, .*`tidings log export`.*`tidings backup`.*start anew.*\.\n$/,
    )
    const { rows } = await db.pool.query('select name, sha256 from public.schema_migration order by name collate "C"')
    expect(rows).toEqual(UNRELEASED_MIGRATIONS)
  },
)
