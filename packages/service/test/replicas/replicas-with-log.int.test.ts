import { loadConfig } from '@tidings/config'
import { postgresEventStore } from '@tidings/event-store/postgres'
import { migrate } from '@tidings/postgres'
import { PATIENT_MS, patientPool, startTestPostgres, startTestReplica, type TestPostgres } from '@tidings/testing'
import type { Pool } from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { serverName } from '../../src/replicas/look-at-server.ts'
import { replicasWithLog } from '../../src/replicas/replicas-with-log.ts'

let primary: TestPostgres
let replica: TestPostgres
let other: TestPostgres
let pools: Readonly<Record<'primary' | 'replica', Pool>>
beforeAll(async () => {
  primary = await startTestPostgres({ settings: { wal_keep_size: '256MB' } })
  const poolAt = ({ url }: TestPostgres) => patientPool({ url, max: 4, name: 'test' })
  const before = poolAt(primary)
  await migrate(before)
  await before.end()
  replica = await startTestReplica(primary)
  other = await startTestPostgres({ durable: false })
  pools = { primary: poolAt(primary), replica: poolAt(replica) }
})
afterAll(async () => {
  await Promise.all(Object.values(pools).map((pool) => pool.end()))
  await Promise.all([replica, other, primary].map((server) => server.stop()))
})

/** What the command finds, and says. */
const found = async (urls: readonly string[], lagSeconds = '600') => {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const store = postgresEventStore({ pool: pools.primary, appendDeadlineMs: PATIENT_MS })
  onTestFinished(() => store.close())
  const config = loadConfig({
    TIDINGS_DATABASE_URL: primary.url,
    TIDINGS_READ_DATABASE_URL: urls.join(','),
    TIDINGS_READ_LAG_SECONDS: lagSeconds,
  })
  const replicas = await replicasWithLog({ config, pool: pools.primary, store })
  const lines = said.mock.calls.map(([line]) => String(line))
  said.mockRestore()
  return { names: replicas?.servers.map(({ name }) => name), end: replicas?.end.position.commit, lines }
}

const append = async () => {
  const store = postgresEventStore({ pool: pools.primary, appendDeadlineMs: PATIENT_MS })
  const { position } = await store.append(`s-${crypto.randomUUID()}`, 'no_stream', [
    { id: crypto.randomUUID(), type: 'Happened', data: '{}', meta: '{}' },
  ])
  await store.close()
  return position.commit
}
const newestThere = async () => (await pools.replica.query('select max(position) as n from es.event')).rows[0]?.n
const NONE = 'The log is read from the primary, because no replica can be read: '

test('an empty log is read from the primary', async () => {
  expect(await found([replica.url])).toEqual({ names: undefined, end: undefined, lines: [] })
})

test('a replica is waited for until it shows what the primary had', async () => {
  await pools.replica.query('select pg_wal_replay_pause()')
  const end = await append()
  const asked = found([replica.url])
  await expect.poll(() => isWatched(pools.replica)).toBe(true)
  expect(await newestThere()).toBeNull()
  await pools.replica.query('select pg_wal_replay_resume()')
  expect(await asked).toEqual({ names: [serverName(replica.url)], end, lines: [] })
})

const isWatched = async (pool: Pool): Promise<boolean> =>
  ((await pool.query(`select from pg_stat_activity where datname = current_database() and application_name = 'tidings-watch'`)).rowCount ??
    0) > 0

test('one that does not get there in time, does not answer, or is of another server is named, and not read', async () => {
  await expect.poll(newestThere).not.toBeNull()
  expect((await found([other.url, 'postgres://127.0.0.1:1/none', replica.url])).names).toEqual([serverName(replica.url)])
  await pools.replica.query('select pg_wal_replay_pause()')
  await append()
  const { names, lines } = await found([replica.url, 'postgres://127.0.0.1:1/none', other.url], '1')
  await pools.replica.query('select pg_wal_replay_resume()')
  expect([names, lines]).toEqual([undefined, [expect.stringContaining(NONE)]])
  expect(lines[0]).toContain(`${serverName(replica.url)} is more than 1 s behind`)
  expect(lines[0]).toContain('127.0.0.1:1/none does not answer')
  expect(lines[0]).toContain('takes writes itself')
})

test('one that is promoted is not waited for', async () => {
  await pools.replica.query('select pg_promote()')
  const { names, lines } = await found([replica.url])
  expect([names, lines]).toEqual([undefined, [expect.stringContaining(`${NONE}${serverName(replica.url)} takes writes itself`)]])
})
