import { createLog } from '@tidings/observability/log'
import { currentSnapshot, kyselyOn, migrate } from '@tidings/postgres'
import { patientPool, startTestPostgres, startTestReplica, type TestPostgres } from '@tidings/testing'
import type { Pool } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openReplicaReads, type ReplicaReads } from '../../src/replicas/replica-reads.ts'

let primary: TestPostgres
let replica: TestPostgres
let pools: readonly Pool[]
let reads: ReplicaReads
beforeAll(async () => {
  primary = await startTestPostgres({ settings: { wal_keep_size: '256MB' } })
  const before = patientPool({ url: primary.url, max: 1, name: 'test' })
  await migrate(before)
  await before.end()
  replica = await startTestReplica(primary)
  pools = [primary, replica].map(({ url }) => patientPool({ url, max: 4, name: 'test' }))
  const log = await createLog({ level: 'silent' })
  const settings = { primary: pools[0]!, primaryUrl: primary.url, urls: [replica.url], lagSeconds: 600, poolSize: 4, log }
  reads = await openReplicaReads(settings)
})
afterAll(async () => {
  await reads.stop()
  await Promise.all(pools.map((pool) => pool.end()))
  await replica.stop()
  await primary.stop()
})

const rowsOf = async (sql: string): Promise<readonly unknown[]> => (await (await reads.pool.connect()).query(sql)).rows
const look = <Result>(caller: string, work: () => Promise<Result>, name = 'a row') => reads.readTogether({ caller, look: name }, work)
const byReplica = (): number => reads.answered().get(reads.watch.replicas[0]!.name) ?? 0

it('look-ups are answered by a replica that is fit', async () => {
  await expect.poll(() => reads.watch.fit().length).toBe(1)
  expect(await look('one', () => rowsOf('select pg_is_in_recovery() as replica'))).toEqual([{ replica: true }])
})

it('look-ups of one turn share a snapshot, those of another workspace or another table do not', async () => {
  const before = byReplica()
  const [first, second, ofOther, ofOtherTable] = await Promise.all([
    look('one', async () => currentSnapshot()),
    look('one', async () => currentSnapshot()),
    look('other', async () => currentSnapshot()),
    look('one', async () => currentSnapshot(), 'another row'),
  ])
  expect(first).toBeDefined()
  expect(second).toBe(first)
  expect(new Set([first, ofOther, ofOtherTable]).size).toBe(3)
  await Promise.all([1, 2, 3].map((n) => look('one', async () => (n === 1 ? await rowsOf('select 1') : n))))
  expect(byReplica()).toBe(before + 3)
})

it('a statement that fails, fails for the read that asked for it alone', async () => {
  const outcomes = await Promise.allSettled([
    look('one', () => rowsOf('select 1 / 0 as n')),
    look('one', () => rowsOf('select 2 as n')),
    look('one', () => rowsOf('select 3 as n')),
  ])
  expect(outcomes).toEqual([
    { status: 'rejected', reason: expect.objectContaining({ code: '22012' }) },
    { status: 'fulfilled', value: [{ n: 2 }] },
    { status: 'fulfilled', value: [{ n: 3 }] },
  ])
})

it('a row that is not there is the answer to one of them, and keeps the connection', async () => {
  const pid = async () => await look('one', () => rowsOf('select pg_backend_pid() as pid'))
  const before = await pid()
  let runs = 0
  const outcomes = await Promise.allSettled([
    look('one', async () => {
      runs++
      throw new Error('not found')
    }),
    look('one', () => rowsOf('select 2 as n')),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  expect(runs).toBe(1)
  expect(await pid()).toEqual(before)
})

it('one that asks for a second statement is refused it, and takes no other down', async () => {
  const twice = async () => [await rowsOf('select 1 as n'), await rowsOf('select 2 as n')]
  const outcomes = await Promise.allSettled([look('one', twice), look('one', () => rowsOf('select 3 as n'))])
  expect(outcomes).toEqual([
    { status: 'rejected', reason: new Error('a look-up is one statement') },
    { status: 'fulfilled', value: [{ n: 3 }] },
  ])
})

const SLOW = 'select pg_sleep(600)'
const others = `from pg_stat_activity where datname = current_database() and query like '%pg_sleep(600)%' and pid <> pg_backend_pid()`
/** It is asked for elsewhere where it takes too long. */
const cancelSlow = () => Promise.all(pools.map((pool) => pool.query(`select pg_cancel_backend(pid) ${others}`)))
const followed = (asked: Promise<unknown>) => {
  const state = { isOver: false }
  const ended = asked
    .catch((error: unknown) => error)
    .finally(() => {
      state.isOver = true
    })
  return { state, ended }
}
const untilCancelled = async ({ state, ended }: ReturnType<typeof followed>): Promise<void> => {
  const isOver = async () => {
    await cancelSlow()
    return state.isOver
  }
  await expect.poll(isOver).toBe(true)
  expect(await ended).toBeInstanceOf(Error)
}

it('a slow one delays none that comes later', async () => {
  const slow = followed(look('one', () => rowsOf(SLOW)))
  await expect.poll(async () => (await pools[1]!.query(`select ${others}`)).rowCount).toBeGreaterThan(0)
  for (let n = 0; n < 5; n++) expect(await look('one', () => rowsOf('select 4 as n'))).toEqual([{ n: 4 }])
  expect(await look('other', () => rowsOf('select 5 as n'))).toEqual([{ n: 5 }])
  expect(slow.state.isOver).toBe(false)
  await untilCancelled(slow)
})

it('a slow one delays none that was asked for beside it, where each reads by itself', async () => {
  const beside = look('one', () => rowsOf('select 6 as n'))
  const failing = followed(look('one', () => rowsOf('select 1 / 0 as n')))
  let runs = 0
  const slow = followed(look('one', () => rowsOf(runs++ === 0 ? 'select 7 as n' : SLOW)))
  expect(await beside).toEqual([{ n: 6 }])
  expect(await failing.ended).toBeInstanceOf(Error)
  expect(slow.state.isOver).toBe(false)
  await untilCancelled(slow)
})

it('a table whose columns change under a prepared statement is read as it is by then, by look-ups and by other reads', async () => {
  await pools[0]!.query('create table renewed(id int4); insert into renewed values (1)')
  const own = kyselyOn<{ renewed: { id: number } }>(reads.pool)
  const all = () => own.selectFrom('renewed').selectAll().execute()
  const ways = [() => look('one', all), () => reads.read({ caller: 'one' }, all)]
  await expect.poll(async () => (await pools[1]!.query(`select from pg_class where relname = 'renewed'`)).rowCount).toBe(1)
  for (const way of ways) await way()
  await pools[0]!.query('alter table renewed add born text')
  const columnCount = `select from information_schema.columns where table_name = 'renewed'`
  await expect.poll(async () => (await pools[1]!.query(columnCount)).rowCount).toBe(2)
  const before = byReplica()
  for (const way of ways) expect(await way()).toEqual([{ id: 1, born: null }])
  expect(byReplica()).toBeGreaterThan(before)
})
