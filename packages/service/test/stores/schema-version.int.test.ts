import { loadConfig } from '@tidings/config'
import { type Log, logTo } from '@tidings/observability/log'
import { type TestDatabase, testDatabase, UNRELEASED_MIGRATIONS } from '@tidings/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ROLES, type Role } from '../../src/roles.ts'
import { startService } from '../../src/start-service.ts'

let db: TestDatabase
beforeEach(async () => {
  db = await testDatabase()
})
afterEach(() => db.drop())

/** Starts a role on the database and ends it again; rejects with why it did not start. */
const startAndStop = async (role: Role, log: Log = logTo({ write: () => undefined }, 'silent')): Promise<void> => {
  const env = {
    TIDINGS_DATABASE_URL: db.url,
    TIDINGS_MASTER_KEY: 'ab'.repeat(32),
    // It is not asked for anything: a relay without brokers would not start at all.
    ...(role === 'relay' && { TIDINGS_KAFKA_BROKERS: '127.0.0.1:1' }),
    PORT: '0',
  }
  const service = await startService({ config: loadConfig(env, null), log, roles: new Set([role]), alone: false })
  await service.stop()
}

describe.each(ROLES)('%s on a database of another version', (role) => {
  test('refuses one that lacks a migration, and says what to run', async () => {
    await db.pool.query("delete from public.schema_migration where name = '0006_lists.sql'")
    await expect(startAndStop(role)).rejects.toThrow(
      'The database is older than this version of Tidings, it has not run 0006_lists.sql: run `tidings migrate`.',
    )
  })

  test('refuses one that was made by other files', async () => {
    await db.pool.query("update public.schema_migration set sha256 = 'other' where name = '0005_webhooks.sql'")
    await expect(startAndStop(role)).rejects.toThrow(
      'The database was made by another build of Tidings, its 0005_webhooks.sql differs from the one here: start the version that made it.',
    )
  })

  test('refuses one of an unreleased version, and says how to keep what is in it', async () => {
    await db.pool.query('truncate public.schema_migration')
    await db.pool.query('insert into public.schema_migration (name, sha256) select * from unnest($1::text[], $2::text[])', [
      UNRELEASED_MIGRATIONS.map(({ name }) => name),
      UNRELEASED_MIGRATIONS.map(({ sha256 }) => sha256),
    ])
    await expect(startAndStop(role)).rejects.toThrow(
      'The database is of an unreleased version of Tidings, whose schema this version does not bring up to date: export its log with the program that made it (`tidings log export`,',
    )
  })

  test('starts on one that a newer version has migrated, and says so', async () => {
    await db.pool.query("insert into public.schema_migration (name, sha256) values ('9999_newer.sql', 'x')")
    const lines: string[] = []
    await startAndStop(role, logTo({ write: (line) => lines.push(line) }, 'warn'))
    expect(lines.join('')).toContain(
      'The database is newer than this version of Tidings, it has run 9999_newer.sql: let the newer version take over soon.',
    )
  })
})

test('of several missing migrations the first is named, and the others are counted', async () => {
  await db.pool.query("delete from public.schema_migration where name in ('0006_lists.sql', '0008_outbox.sql')")
  await expect(startAndStop('query-api')).rejects.toThrow('it has not run 0006_lists.sql and 1 more: run `tidings migrate`.')
})
