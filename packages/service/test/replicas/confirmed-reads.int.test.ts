import { createLog } from '@tidings/observability/log'
import { isRetryable, kyselyOn, migrate } from '@tidings/postgres'
import { patientPool, startTestPostgres, startTestReplica, type TestPostgres } from '@tidings/testing'
import type { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ReadOf } from '../../src/replicas/read-together.ts'
import { openReplicaReads, type ReplicaReads } from '../../src/replicas/replica-reads.ts'

/** Reads that only a server answers which shows what was confirmed, and those that go on statement by statement. */
let primary: TestPostgres
let replica: TestPostgres
let pools: Readonly<Record<'primary' | 'replica', Pool>>
let reads: ReplicaReads
beforeAll(async () => {
  primary = await startTestPostgres({ settings: { wal_keep_size: '256MB' } })
  const before = patientPool({ url: primary.url, max: 1, name: 'test' })
  await migrate(before)
  await before.query('create table gone as select 1 as n')
  await before.end()
  replica = await startTestReplica(primary)
  const poolAt = ({ url }: TestPostgres) => patientPool({ url, max: 4, name: 'test' })
  pools = { primary: poolAt(primary), replica: poolAt(replica) }
  await pools.replica.query(`alter system set max_standby_streaming_delay = '0'`)
  await pools.replica.query('select pg_reload_conf()')
  const log = await createLog({ level: 'silent' })
  const urls = [replica.url]
  reads = await openReplicaReads({ primary: pools.primary, primaryUrl: primary.url, urls, lagSeconds: 600, poolSize: 4, log })
})
afterAll(async () => {
  await reads.stop()
  await Promise.all(Object.values(pools).map((pool) => pool.end()))
  await replica.stop()
  await primary.stop()
})

const WHERE = 'select pg_is_in_recovery() as "isReplica"'
type Answer = Readonly<{ isReplica: boolean; isConfirmed: boolean }>

const readAs = async (confirmed?: ReadOf['confirmed']): Promise<Answer> => {
  let isConfirmed = true
  const onUnconfirmed = () => {
    isConfirmed = false
  }
  const row = await reads.read({ caller: 'somebody', onUnconfirmed, ...(confirmed && { confirmed }) }, async () => {
    const { rows } = await reads.pool.query<Omit<Answer, 'isConfirmed'>>(WHERE)
    return rows[0]!
  })
  return { ...row, isConfirmed }
}

const isRead = () => expect.poll(() => readAs()).toEqual({ isReplica: true, isConfirmed: true })
const long = () => reads.poolOf({ caller: 'long', confirmed: 'always' })

/** The process stands still for so long that its last look at the replica says nothing of now. */
const standStill = () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_600)

it('a pool that decides reads the primary, and the snapshot inside of a read alone', async () => {
  await isRead()
  expect((await reads.pool.query(WHERE)).rows).toEqual([{ isReplica: false }])
  const client = await reads.pool.connect()
  expect((await client.query(WHERE)).rows).toEqual([{ isReplica: false }])
  client.release()
})

describe('a replica of which nothing says that it shows what was confirmed', () => {
  it('answers with a word of it, and gives way to the primary for those who may not miss a write', async () => {
    await isRead()
    standStill()
    expect(await readAs()).toEqual({ isReplica: true, isConfirmed: false })
    expect(await readAs('unless the primary is away')).toEqual({ isReplica: false, isConfirmed: true })
    expect(await readAs('always')).toEqual({ isReplica: false, isConfirmed: true })
    expect((await long().query(WHERE)).rows).toEqual([{ isReplica: false }])
    await isRead()
    expect(await readAs('always')).toEqual({ isReplica: true, isConfirmed: true })
  })

  it('answers while the primary is away, but not what has to be whole', async () => {
    await isRead()
    await primary.kill()
    await expect.poll(reads.watch.isPrimaryAway).toBe(true)
    expect(await readAs('unless the primary is away')).toEqual({ isReplica: true, isConfirmed: false })
    const refused = await long()
      .query(WHERE)
      .catch((error: unknown) => error)
    expect(isRetryable(refused)).toBe(true)
    await primary.start()
    await isRead()
  })
})

it('what a replica has not replayed yet, a table or a column, is read elsewhere', async () => {
  await isRead()
  await pools.replica.query('select pg_wal_replay_pause()')
  await pools.primary.query('create table late as select 1 as n; alter table gone add column late int default 1')
  for (const statement of ['select n from late', 'select late as n from gone']) {
    const ask = async () => (await reads.pool.query(statement)).rows
    expect(await reads.read({ caller: 'newer' }, ask)).toEqual([{ n: 1 }])
    expect(
      await reads.readTogether(
        { caller: 'newer', look: statement },
        async () => (await (await reads.pool.connect()).query(statement)).rows,
      ),
    ).toEqual([{ n: 1 }])
  }
  await pools.replica.query('select pg_wal_replay_resume()')
  const onNeither = reads.read({ caller: 'newer' }, async () => reads.pool.query('select from never_made'))
  await expect(onNeither).rejects.toMatchObject({ code: '42P01' })
})

it('what is read statement by statement goes on where one conflicts with recovery', async () => {
  await isRead()
  const byPrimary = reads.answered().get('primary')
  expect(await kyselyOn<{ gone: { n: number } }>(long()).selectFrom('gone').select('n').execute()).toEqual([{ n: 1 }])
  expect(reads.answered().get('primary')).toBe(byPrimary)
  const read = long().query('select case when pg_is_in_recovery() then pg_sleep(600) end, n from gone')
  const sleeping = `select from pg_stat_activity where datname = current_database() and query like '%pg_sleep(600)%' and state = 'active' and pid <> pg_backend_pid()`
  await expect.poll(async () => (await pools.replica.query(sleeping)).rowCount).toBe(1)
  await pools.primary.query('drop table gone; create table gone as select 2 as n')
  expect((await read).rows).toMatchObject([{ n: 2 }])
})
