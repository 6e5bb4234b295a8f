import { loadConfig } from '@tidings/config'
import { createLog } from '@tidings/observability/log'
import { migrate } from '@tidings/postgres'
import { patientPool, startTestPostgres, startTestReplica, type TestPostgres, until } from '@tidings/testing'
import type { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createQueryOnlyChecks } from '../../src/readiness/checks.ts'
import { openReadStores } from '../../src/replicas/open-read-stores.ts'

let primary: TestPostgres
let replica: TestPostgres
let onPrimary: Pool
let onReplica: Pool
beforeAll(async () => {
  primary = await startTestPostgres({ settings: { wal_keep_size: '256MB' } })
  onPrimary = patientPool({ url: primary.url, max: 1, name: 'test' })
  await migrate(onPrimary)
  replica = await startTestReplica(primary)
  onReplica = patientPool({ url: replica.url, max: 1, name: 'test' })
})
afterAll(async () => {
  await Promise.all([onPrimary.end(), onReplica.end()])
  await replica.stop()
  await primary.stop()
})

const open = async (changes: Readonly<Record<string, string>> = {}) => {
  const urls = { TIDINGS_DATABASE_URL: primary.url, TIDINGS_READ_DATABASE_URL: replica.url }
  return await openReadStores({
    config: loadConfig({ ...urls, ...changes }, null),
    log: await createLog({ level: 'silent' }),
    mode: 'roles',
  })
}
const refusal = (changes: Readonly<Record<string, string>> = {}): Promise<string> =>
  open(changes).then(
    async ({ close }) => {
      await close()
      return 'it started'
    },
    (error: Error) => error.message,
  )

const IS_REPLICA = 'select pg_is_in_recovery() as "isReplica"'
const RENAME = 'update public.schema_migration set name = $2 where name = $1'
const NEWEST = 'select name from public.schema_migration order by name desc limit 1'
const newest = async (pool: Pool): Promise<string> => (await pool.query<{ name: string }>(NEWEST)).rows[0]!.name
const rename = async (from: string, to: string): Promise<void> => {
  await onPrimary.query(RENAME, [from, to])
  await expect.poll(() => newest(onReplica)).toBe(to)
}

const whileAway = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  await primary.kill()
  try {
    return await work()
  } finally {
    await primary.start()
  }
}

describe('a process that only reads, while the primary is away', () => {
  let migration: string
  beforeEach(async () => {
    migration = await newest(onPrimary)
  })

  it('starts on a replica, and asks the primary when it is back', async () => {
    const stores = await whileAway(async () => {
      const opened = await open()
      const { replicas } = opened
      expect(replicas?.watch.isPrimaryAway()).toBe(true)
      const asked = await replicas?.read({ caller: 'one' }, async () => (await replicas.pool.connect()).query(IS_REPLICA))
      expect(asked?.rows).toEqual([{ isReplica: true }])
      await createQueryOnlyChecks(opened).database?.()
      await expect(opened.primaryAsked?.ask()).rejects.toThrow('cannot be used')
      return opened
    })
    await expect.poll(() => stores.replicas?.watch.isPrimaryAway()).toBe(false)
    const { database } = createQueryOnlyChecks(stores)
    await onPrimary.query(RENAME, [migration, '9999_later.sql'])
    await expect(database?.()).rejects.toThrow(`it has not run ${migration}`)
    await onPrimary.query(RENAME, ['9999_later.sql', migration])
    await database?.()
    await stores.close()
  })

  it('is not ready where the primary refuses it when it is back', async () => {
    const wrong = new URL(primary.url)
    wrong.pathname = '/not-there'
    const stores = await whileAway(async () => {
      const opened = await open({ TIDINGS_DATABASE_URL: wrong.href })
      await createQueryOnlyChecks(opened).database?.()
      return opened
    })
    const { database } = createQueryOnlyChecks(stores)
    await until(() => expect(database?.()).rejects.toThrow('"not-there" does not exist'))
    await stores.close()
  })

  it('does not start on a replica that lacks a migration', async () => {
    await rename(migration, '9999_later.sql')
    expect(await whileAway(refusal)).toContain(`it has not run ${migration}`)
    await rename('9999_later.sql', migration)
  })

  it('does not start where no replica answers either, and names both', async () => {
    await replica.kill()
    const said = await whileAway(refusal)
    expect(said).toMatch(/^The database .* cannot be used .* No replica can be read either: .* does not answer/)
    await replica.start()
  })

  it('does not start without a replica', async () => {
    expect(await whileAway(() => refusal({ TIDINGS_READ_DATABASE_URL: '' }))).toMatch(/^The database .* cannot be used/)
  })

  it('does not start on replicas of two servers, of which only the primary can say which is its own', async () => {
    const other = await startTestPostgres()
    const itsOwn = await startTestReplica(other)
    const said = await whileAway(() => refusal({ TIDINGS_READ_DATABASE_URL: `${replica.url},${itsOwn.url}` }))
    expect(said).toContain('The replicas are of several servers')
    await itsOwn.stop()
    await other.stop()
  })
})

describe('a primary that is a replica', () => {
  it('is away: it does not know what was written', async () => {
    const other = await startTestReplica(primary)
    const { replicas, close } = await open({ TIDINGS_DATABASE_URL: other.url })
    expect(replicas?.watch.isPrimaryAway()).toBe(true)
    const onUnconfirmed = vi.fn()
    const isReplica = async () => (await replicas?.pool.connect())?.query(IS_REPLICA)
    expect((await replicas?.read({ caller: 'one', onUnconfirmed }, isReplica))?.rows).toEqual([{ isReplica: true }])
    expect(onUnconfirmed).toHaveBeenCalled()
    await close()
    await other.stop()
  })
})

describe('a primary that refuses the login', () => {
  it('is not away: the setting is wrong, and the process does not start', async () => {
    const wrong = new URL(primary.url)
    wrong.pathname = '/not-there'
    expect(await refusal({ TIDINGS_DATABASE_URL: wrong.href })).toContain('does not exist')
  })
})
