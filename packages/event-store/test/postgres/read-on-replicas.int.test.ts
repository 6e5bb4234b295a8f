import { migrate } from '@tidings/postgres'
import {
  PATIENT_MS,
  patientPool,
  startTcpProxy,
  startTestPostgres,
  startTestReplica,
  type TcpProxy,
  type TestPostgres,
} from '@tidings/testing'
import type { Pool } from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { type EventStore, type Position, START } from '../../src/port.ts'
import { openLogSource } from '../../src/postgres/log-source.ts'
import { postgresEventStore } from '../../src/postgres/postgres-store.ts'
import { type LogReplicas, readOnReplicas } from '../../src/postgres/read-on-replicas.ts'
import { numbersOf } from '../events.fixture.ts'

const COUNT = 3_000
const PAGE = 500

let primary: TestPostgres
let replica: TestPostgres
let wire: TcpProxy
let pools: Readonly<Record<'primary' | 'replica', Pool>>
beforeAll(async () => {
  primary = await startTestPostgres({ settings: { wal_keep_size: '256MB' } })
  const poolAt = ({ url }: TestPostgres) => patientPool({ url, max: 4, name: 'test' })
  const before = poolAt(primary)
  await migrate(before)
  await append(before, COUNT)
  await before.end()
  replica = await startTestReplica(primary)
  pools = { primary: poolAt(primary), replica: poolAt(replica) }
  const { searchParams, port } = new URL(replica.url)
  wire = await startTcpProxy(0, `${searchParams.get('host')}/.s.PGSQL.${port}`)
})
afterAll(async () => {
  await Promise.all(Object.values(pools).map((pool) => pool.end()))
  await wire.close()
  await replica.stop()
  await primary.stop()
})

const append = (pool: Pool, count: number) =>
  pool.query(
    `insert into es.event (position, stream_id, revision, event_id, type, data, meta, created)
     select start + n, 'filler-' || start + n, 0, gen_random_uuid(), 'Filled' || n % 3, jsonb_build_object('n', n)::text, '{}', now()
     from (select coalesce(max(position), 0) as start from es.event) e, generate_series(1, $1::int) n`,
    [count],
  )

const lastOf = async (pool: Pool): Promise<LogReplicas['end']> => {
  const { rows } = await pool.query<{ commit: bigint; id: string }>(
    'select position as commit, event_id as id from es.event order by position desc limit 1',
  )
  const { commit, id } = rows[0]!
  return { position: { commit, prepare: 0n }, id }
}

const onReplica = (end: LogReplicas['end']): LogReplicas => {
  const url = new URL(replica.url)
  url.search = ''
  url.host = `127.0.0.1:${wire.port}`
  return { servers: [{ name: 'replica-1', url: url.href }], end }
}

/** A store with the replica, and what it says. `isPrimaryAway`: nothing comes from there. */
const opened = async ({ end, isPrimaryAway = false }: Readonly<{ end?: LogReplicas['end']; isPrimaryAway?: boolean }> = {}) => {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const url = isPrimaryAway ? 'postgres://127.0.0.1:1/none' : primary.url
  const pool = patientPool({ url, max: 2, name: 'log' })
  const own = postgresEventStore({ pool, appendDeadlineMs: PATIENT_MS })
  const store = readOnReplicas(own, onReplica(end ?? (await lastOf(pools.primary))))
  onTestFinished(async () => {
    said.mockRestore()
    await store.close()
    await pool.end()
  })
  return { store, said: () => said.mock.calls.map(([line]) => String(line)) }
}

type Read = (after: Position) => ReturnType<EventStore['readAll']>

/** The positions of all events, page by page; `between`: runs after the second page. */
const numbersBy = async (read: Read, between: () => Promise<unknown> = async () => undefined): Promise<readonly number[]> => {
  const numbers: number[] = []
  let pages = 0
  for (let after = START; ; ) {
    const page = await read(after)
    numbers.push(...numbersOf(page.events))
    if (page.caughtUp) return numbers
    after = page.to
    if (++pages === 2) await between()
  }
}

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n + 1)
const total = async () => Number((await lastOf(pools.primary)).position.commit)
const isReplayed = async () => expect.poll(() => lastOf(pools.replica)).toEqual(await lastOf(pools.primary))

test('pages up to the end come from the replica alone, as the primary has them', async () => {
  await isReplayed()
  const end = await lastOf(pools.primary)
  const { store } = await opened({ isPrimaryAway: true })
  const source = openLogSource({ url: 'postgres://127.0.0.1:1/none', seen: { position: START, event: null }, replicas: onReplica(end) })
  onTestFinished(() => source.store.close())
  const own = postgresEventStore({ pool: pools.primary, appendDeadlineMs: PATIENT_MS })
  const page = await own.readAll(START, PAGE)
  for (const read of [store, source.store]) expect(await read.readAll(START, PAGE)).toEqual(page)
  const match = { types: ['Filled1'] }
  const matching = await own.readMatching(START, COUNT, match)
  expect(matching.events).toHaveLength(COUNT / 3)
  // Where the log ends, the primary says.
  expect(await store.readMatching(START, COUNT, match)).toEqual({ ...matching, caughtUp: false })
  const { events, to } = await store.readBytes(START, COUNT, {})
  expect([numbersOf(events.map((event) => ({ ...event, data: '', meta: '' }))), to]).toEqual([upTo(COUNT), end.position])
  await expect(store.readAll(to, PAGE)).rejects.toThrow()
  await own.close()
})

test('what is appended meanwhile comes once, from the primary', async () => {
  const { store, said } = await opened()
  expect(
    await numbersBy(
      (after) => store.readAll(after, PAGE),
      () => append(pools.primary, 700),
    ),
  ).toEqual(upTo(COUNT + 700))
  expect(said()).toEqual([])
})

test('a replica that hangs in the middle is left for the primary, which is said once', async () => {
  await isReplayed()
  const { store, said } = await opened()
  const read = (after: Position) => store.readMatching(after, PAGE, { types: ['Filled0', 'Filled1', 'Filled2'] })
  expect(await numbersBy(read, async () => wire.hold())).toEqual(upTo(await total()))
  expect(said()).toEqual([expect.stringContaining('The log is not read from replica-1 (')])
  wire.cut()
  wire.release()
})

test('a replica that is killed in the middle is left for the primary, which is said once', async () => {
  await isReplayed()
  const { store, said } = await opened()
  expect(await numbersBy((after) => store.readAll(after, PAGE), replica.kill)).toEqual(upTo(await total()))
  expect(said()).toHaveLength(1)
  await replica.start()
})

test('a replica that is behind answers nothing, and is no place to read from', async () => {
  await isReplayed()
  await pools.replica.query('select pg_wal_replay_pause()')
  await append(pools.primary, 10)
  const { store, said } = await opened()
  expect(await numbersBy((after) => store.readAll(after, PAGE))).toEqual(upTo(await total()))
  expect(said()).toEqual([expect.stringContaining('does not hold what was seen of it')])
  await pools.replica.query('select pg_wal_replay_resume()')
})

test('a replica that is promoted answers what was the same, and no event of its own', async () => {
  await isReplayed()
  const shared = await lastOf(pools.primary)
  await pools.replica.query('select pg_promote()')
  await append(pools.replica, 300)
  await append(pools.primary, 300)
  const own = postgresEventStore({ pool: pools.primary, appendDeadlineMs: PATIENT_MS })
  const all = await own.readAll(START, 10_000)
  const { store } = await opened({ end: shared })
  const read = await store.readAll(START, 10_000)
  expect(read.to).toEqual(shared.position)
  expect([...read.events, ...(await store.readAll(read.to, 10_000)).events]).toEqual(all.events)
  const since = await opened()
  expect((await since.store.readAll(START, 10_000)).events).toEqual(all.events)
  expect(since.said()).toEqual([expect.stringContaining('does not hold what was seen of it')])
  await own.close()
})
