import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { createLog } from '@tidings/observability/log'
import { isRetryable, migrate } from '@tidings/postgres'
import { patientPool, startTcpProxy, startTestPostgres, startTestReplica, type TcpProxy, type TestPostgres } from '@tidings/testing'
import type { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openReplicaReads, type ReplicaReads } from '../../src/replicas/replica-reads.ts'
import { shownOnReplicas } from '../../src/replicas/shown-on-replicas.ts'

let primary: TestPostgres
let replica: TestPostgres
let wires: Readonly<Record<'primary' | 'replica', TcpProxy>>
let pools: Readonly<Record<'primary' | 'replica', Pool>>
let overWire: Pool
let reads: ReplicaReads
beforeAll(async () => {
  primary = await startTestPostgres({ settings: { wal_keep_size: '256MB' } })
  const before = patientPool({ url: primary.url, max: 1, name: 'test' })
  await migrate(before)
  await before.query('create table seen (n int8 primary key)')
  await before.query(
    `insert into ops.projection_checkpoint (projection, version, epoch, position_commit, position_prepare) values ('profiles', 1, 1, 7, 0)`,
  )
  await before.end()
  replica = await startTestReplica(primary)
  wires = { primary: await startTcpProxy(0, socketOf(primary)), replica: await startTcpProxy(0, socketOf(replica)) }
  const poolAt = ({ url }: TestPostgres) => patientPool({ url, max: 4, name: 'test' })
  pools = { primary: poolAt(primary), replica: poolAt(replica) }
  overWire = patientPool({ url: through(primary, wires.primary), max: 4, name: 'test' })
  const log = await createLog({ level: 'silent' })
  const urls = [through(replica, wires.replica)]
  // One connection: one that is kept by a server that hangs is missed at once.
  const settings = { primary: overWire, primaryUrl: through(primary, wires.primary), urls, lagSeconds: 600, poolSize: 1, log }
  reads = await openReplicaReads(settings)
})
afterAll(async () => {
  await reads.stop()
  await Promise.all([overWire, ...Object.values(pools)].map((pool) => pool.end()))
  await Promise.all(Object.values(wires).map((wire) => wire.close()))
  await replica.stop()
  await primary.stop()
})

const socketOf = ({ url }: TestPostgres): string => {
  const { searchParams, port } = new URL(url)
  return `${searchParams.get('host')}/.s.PGSQL.${port}`
}

const through = ({ url }: TestPostgres, { port }: TcpProxy): string => {
  const own = new URL(url)
  own.search = ''
  own.host = `127.0.0.1:${port}`
  return own.href
}

type Answer = Readonly<{ isReplica: boolean; newest: bigint | null; isConfirmed: boolean }>

const NEWEST = `select pg_is_in_recovery() as "isReplica", (select max(n) from seen) as newest`

/** `during`: runs when the server has answered, before the read ends. */
const readAs = async (caller: string, during: (isReplica: boolean) => Promise<void> = async () => {}): Promise<Answer> => {
  let isConfirmed = true
  const onUnconfirmed = () => {
    isConfirmed = false
  }
  const row = await reads.read({ caller, onUnconfirmed }, async () => {
    const client = await reads.pool.connect()
    const { rows } = await client.query<Omit<Answer, 'isConfirmed'>>(NEWEST)
    await during(rows[0]!.isReplica)
    return rows[0]!
  })
  return { ...row, isConfirmed }
}

const isRead = () => expect.poll(() => readAs('anybody')).toMatchObject({ isReplica: true, isConfirmed: true })
const faultOf = () => reads.watch.replicas[0]?.fault
const visible = { wait: async () => 'visible' as const }
const write = async (n: number) => void (await pools.primary.query('insert into seen values ($1)', [n]))
const shownOnReplica = (n: number) =>
  expect.poll(async () => (await pools.replica.query('select max(n) as newest from seen')).rows[0]?.newest).toBe(BigInt(n))

describe('a replica that takes connections and does not answer', () => {
  it('keeps no write waiting, and none that comes when it is given up', async () => {
    await isRead()
    const shown = shownOnReplicas(visible, reads.watch)
    const confirmed = () => shown.wait({ commit: 7n, prepare: 0n }, ['profiles'])
    await expect.poll(confirmed).toBe('visible')
    wires.replica.hold()
    expect(['pending', 'visible']).toContain(await confirmed())
    await expect.poll(faultOf).toContain('does not answer')
    expect(await confirmed()).toBe('visible')
    wires.replica.release()
    await isRead()
  })

  it('is read again when it is back, though its old connections are never answered', async () => {
    wires.replica.strand()
    await isRead()
  })

  it('keeps no connection of a read that was answered before', async () => {
    await readAs('anybody', async () => wires.replica.hold())
    await expect.poll(faultOf).toContain('does not answer')
    wires.replica.strand()
    wires.replica.release()
    await isRead()
    const open = `select from pg_stat_activity
      where datname = current_database() and application_name = 'tidings-reads' and state like 'idle in transaction%'`
    await expect.poll(async () => (await pools.replica.query(open)).rowCount).toBe(0)
  })
})

describe('a primary that takes connections and does not answer', () => {
  it('leaves a read that is under way there to a replica', async () => {
    await isRead()
    const answer = await readAs('under way', async (isReplica) => {
      if (reads.watch.isPrimaryAway()) return
      if (isReplica) throw Object.assign(new Error('shut down'), { code: '57P01' })
      wires.primary.hold()
      await (await reads.pool.connect()).query('select 1')
    })
    expect(answer).toMatchObject({ isReplica: true, isConfirmed: false })
    wires.primary.cut()
    wires.primary.release()
    await expect.poll(reads.watch.isPrimaryAway).toBe(false)
    await isRead()
  })
})

describe('a table that is locked on a replica', () => {
  const lookUp: ReplicaReads['read'] = (of, work) => reads.readTogether({ ...of, look: 'gone' }, work)
  const readGone = (read = reads.read) =>
    read({ caller: 'locked' }, async () => {
      const client = await reads.pool.connect()
      return (await client.query('select pg_is_in_recovery() as "isReplica", (select count(*)::int from gone) as n')).rows[0]
    })
  const lockCount = async () => {
    const { rows } = await pools.replica.query(
      `select count(*)::int as n from pg_locks l join pg_database d on d.oid = l.database
       where d.datname = current_database() and l.mode = 'AccessExclusiveLock' and l.relation = 'gone'::regclass`,
    )
    return rows[0]?.n
  }
  beforeAll(async () => {
    await pools.replica.query(`alter system set max_standby_streaming_delay = '-1'`)
    await pools.replica.query('select pg_reload_conf()')
    await pools.primary.query('create table gone as select 1 as n')
  })

  it('because a long query there keeps a swap from being replayed, is read elsewhere', async () => {
    await expect.poll(() => readGone()).toEqual({ isReplica: true, n: 1 })
    const analyst = await pools.replica.connect()
    try {
      await analyst.query('begin; select from gone')
      await pools.primary.query('alter table gone rename to went; create table gone as select 2 as n')
      await expect.poll(lockCount).toBe(1)
      expect(await readGone()).toEqual({ isReplica: false, n: 1 })
      expect(await readGone(lookUp)).toEqual({ isReplica: false, n: 1 })
    } finally {
      analyst.release(true)
    }
    await expect.poll(() => readGone()).toEqual({ isReplica: true, n: 1 })
  })

  it('because the primary died in the middle of a swap, is refused in time, and others are read', async () => {
    const swapping = await pools.primary.connect()
    await swapping.query('begin; lock table gone in access exclusive mode')
    await write(1)
    await expect.poll(lockCount).toBe(1)
    await primary.kill()
    swapping.release(true)
    await expect.poll(reads.watch.isPrimaryAway).toBe(true)
    expect(isRetryable(await readGone().catch((error: unknown) => error))).toBe(true)
    expect(isRetryable(await readGone(lookUp).catch((error: unknown) => error))).toBe(true)
    expect(await readAs('others')).toMatchObject({ isReplica: true, newest: 1n })
    await primary.start()
    await expect.poll(() => readGone()).toEqual({ isReplica: true, n: 1 })
    await isRead()
  })
})

describe('a primary that is restored from a backup', () => {
  // With its owner, which is the account of the server.
  const copy = (from: string, to: string) => promisify(execFile)('cp', ['-a', from, to])

  it('is not contradicted by a replica that has what it lost, which no write waits for', async () => {
    const backup = `${primary.folder}-backup`
    await primary.shutDown()
    await copy(primary.folder, backup)
    await primary.start()
    await isRead()
    // More than a server that has nothing to do writes by itself.
    await pools.primary.query('insert into seen select generate_series(100, 50000)')
    await shownOnReplica(50_000)
    expect((await readAs('saw it')).newest).toBe(50_000n)
    await primary.shutDown()
    await rm(primary.folder, { recursive: true })
    await copy(backup, primary.folder)
    await rm(backup, { recursive: true })
    await primary.start()
    await expect.poll(reads.watch.isPrimaryAway).toBe(false)
    await expect.poll(faultOf).toContain('never had')
    expect(await readAs('saw it')).toEqual({ isReplica: false, newest: 1n, isConfirmed: true })
    expect(await shownOnReplicas(visible, reads.watch).wait({ commit: 8n, prepare: 0n }, ['profiles'])).toBe('visible')
  })
})
