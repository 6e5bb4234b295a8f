import { createLog } from '@tidings/observability/log'
import { migrate } from '@tidings/postgres'
import { patientPool, startTestPostgres, startTestReplica, type TestPostgres } from '@tidings/testing'
import type { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openReplicaReads, type ReplicaReads } from '../../src/replicas/replica-reads.ts'
import { shownOnReplicas } from '../../src/replicas/shown-on-replicas.ts'
import { watchReplicas } from '../../src/replicas/watch-replicas.ts'

let primary: TestPostgres
let first: TestPostgres
let second: TestPostgres
let pools: Readonly<Record<'primary' | 'first' | 'second', Pool>>
let reads: ReplicaReads
beforeAll(async () => {
  primary = await startTestPostgres({ settings: { wal_keep_size: '256MB' } })
  const before = patientPool({ url: primary.url, max: 1, name: 'test' })
  await migrate(before)
  await before.query('create table seen (n int8 primary key)')
  await before.end()
  first = await startTestReplica(primary)
  second = await startTestReplica(primary)
  const poolAt = ({ url }: TestPostgres) => patientPool({ url, max: 4, name: 'test' })
  pools = { primary: poolAt(primary), first: poolAt(first), second: poolAt(second) }
  const log = await createLog({ level: 'silent' })
  const urls = [first.url, second.url]
  reads = await openReplicaReads({ primary: pools.primary, primaryUrl: primary.url, urls, lagSeconds: 4, poolSize: 4, log })
})
afterAll(async () => {
  await reads.stop()
  await Promise.all(Object.values(pools).map((pool) => pool.end()))
  await Promise.all([first, second].map((server) => server.stop()))
  await primary.stop()
})

type Answer = Readonly<{ isReplica: boolean; newest: bigint | null; isConfirmed: boolean }>

const lookUp: ReplicaReads['read'] = (of, work) => reads.readTogether({ ...of, look: 'newest' }, work)

const readAs = async (caller: string, read = reads.read, pool = reads.pool): Promise<Answer> => {
  let isConfirmed = true
  const onUnconfirmed = () => {
    isConfirmed = false
  }
  const row = await read({ caller, onUnconfirmed }, async () => {
    const client = await pool.connect()
    const sql = `select pg_is_in_recovery() as "isReplica", (select max(n) from seen) as newest`
    return (await client.query<Omit<Answer, 'isConfirmed'>>(sql)).rows[0]
  })
  if (row === undefined) throw new Error('no row')
  return { ...row, isConfirmed }
}

let written = 0n
const write = async (): Promise<bigint> => {
  written++
  await pools.primary.query('insert into seen values ($1)', [written])
  return written
}

const fitCount = () => reads.watch.fit().length
const bothFit = () => expect.poll(fitCount).toBe(2)
const faultOf = (n: number) => () => reads.watch.replicas[n]?.fault ?? ''

describe('reads of a process with replicas', () => {
  it('are answered by the primary until the replicas are fit, and by them from then on', async () => {
    await bothFit()
    await expect.poll(() => readAs('begins')).toMatchObject({ isReplica: true, isConfirmed: true })
    expect([...reads.answered().values()].reduce((sum, count) => sum + count)).toBeGreaterThan(0)
  })

  it('are of one snapshot, whatever the replica replays meanwhile', async () => {
    const before = await write()
    await expect.poll(async () => (await readAs('one snapshot')).newest).toBe(before)
    const counts = await reads.read({ caller: 'one snapshot' }, async () => {
      const count = async () => (await (await reads.pool.connect()).query('select max(n) as newest from seen')).rows[0]?.newest
      const one = await count()
      const next = await write()
      for (const pool of [pools.first, pools.second])
        await expect.poll(async () => (await pool.query('select max(n) as newest from seen')).rows[0]?.newest).toBe(next)
      return [one, await count()]
    })
    expect(counts).toEqual([before, before])
  })

  it('are of one statement where they look one row up, which says itself what it shows', async () => {
    const newest = await write()
    await expect.poll(() => readAs('looks up', lookUp)).toEqual({ isReplica: true, newest, isConfirmed: true })
    const none = reads.readTogether({ caller: 'looks up', look: 'none' }, async () => {
      const client = await reads.pool.connect()
      return (await client.query('select n from seen where n < $1', [0])).rows
    })
    expect(await none).toEqual([])
  })

  it('never go back for one caller: a replica that shows less than the caller has seen does not answer', async () => {
    await pools.first.query('select pg_wal_replay_pause()')
    const newest = await write()
    await expect.poll(async () => (await pools.second.query('select max(n) as newest from seen')).rows[0]?.newest).toBe(newest)
    // Read by the second, or by the first that shows less: a caller has seen nothing yet.
    await expect.poll(async () => (await readAs(`asks ${Math.random()}`)).newest).toBe(newest)
    await expect.poll(async () => (await readAs('goes on')).newest).toBe(newest)
    await second.kill()
    for (let n = 0; n < 5; n++) expect((await readAs('goes on')).newest).toBe(newest)
    for (let n = 0; n < 5; n++) expect((await readAs('goes on', lookUp)).newest).toBe(newest)
  })

  it('leave out a replica that is behind by more than the bound, and take it back', async () => {
    await write()
    await expect.poll(faultOf(0)).toContain('behind')
    await expect.poll(() => readAs('anybody')).toMatchObject({ isReplica: false, newest: written, isConfirmed: true })
    await pools.first.query('select pg_wal_replay_resume()')
    await second.start()
    await bothFit()
    await expect.poll(() => readAs('anybody')).toMatchObject({ isReplica: true, newest: written })
  })

  it('are tried again elsewhere when their replica conflicts with recovery, or dies', async () => {
    for (const pool of [pools.first, pools.second]) {
      await pool.query(`alter system set max_standby_streaming_delay = '0'`)
      await pool.query('select pg_reload_conf()')
    }
    await pools.primary.query('create table gone as select 1 as n')
    await write()
    await expect.poll(async () => (await readAs('conflict')).newest).toBe(written)
    const conflict = async () => {
      let tries = 0
      const found = await reads.read({ caller: 'conflict' }, async () => {
        const client = await reads.pool.connect()
        const { rows } = await client.query('select pg_is_in_recovery() as replica, (select count(*)::int from gone) as n')
        if (++tries > 1 || !rows[0]?.replica) return rows[0]
        const recreated = pools.primary.query('drop table gone; create table gone as select 1 as n')
        await Promise.all([client.query('select pg_sleep(60)'), recreated])
        return rows[0]
      })
      return { tries, n: found.n }
    }
    await expect.poll(conflict).toEqual({ tries: 2, n: 1 })
  })
})

describe('a standby at the address of the primary, since the last look', () => {
  it('says that nothing is confirmed, by its look-ups and by its other reads', async () => {
    const log = await createLog({ level: 'silent' })
    const settings = { primaryUrl: primary.url, urls: ['postgres://127.0.0.1:1/none'], lagSeconds: 4, poolSize: 1, log }
    const readsAt = async (pool: Pool) => {
      const own = await openReplicaReads({ ...settings, primary: pool })
      const together: ReplicaReads['read'] = (of, work) => own.readTogether({ ...of, look: 'newest' }, work)
      const answers = [await readAs('alone', own.read, own.pool), await readAs('together', together, own.pool)]
      await own.stop()
      return answers.map(({ isReplica, isConfirmed }) => [isReplica, isConfirmed])
    }
    const [ofStandby, ofPrimary] = [await readsAt(pools.second), await readsAt(pools.primary)]
    expect(ofStandby).toEqual([
      [true, false],
      [true, false],
    ])
    expect(ofPrimary).toEqual([
      [false, true],
      [false, true],
    ])
  })
})

describe('a write', () => {
  const show = async (commit: bigint) =>
    await pools.primary.query(
      `insert into ops.projection_checkpoint (projection, version, epoch, position_commit, position_prepare) values ('profiles', 1, 1, $1, 0)
       on conflict (projection) do update set position_commit = excluded.position_commit`,
      [commit],
    )
  const visible = { wait: async () => 'visible' as const }

  it('is visible only when each replica that may be read shows it', async () => {
    // One that is paused stays among those that may be read.
    const urls = [first.url, second.url]
    const watch = await watchReplicas({ primaryUrl: primary.url, urls, lagSeconds: 600, log: await createLog({ level: 'silent' }) })
    await expect.poll(() => watch.awaited().length).toBe(2)
    const shown = shownOnReplicas(visible, watch)
    await show(7n)
    await expect.poll(() => shown.wait({ commit: 7n, prepare: 0n }, ['profiles'])).toBe('visible')
    await pools.second.query('select pg_wal_replay_pause()')
    await show(8n)
    await expect.poll(() => shown.wait({ commit: 8n, prepare: 0n }, ['profiles'])).toBe('pending')
    await pools.second.query('select pg_wal_replay_resume()')
    await expect.poll(() => shown.wait({ commit: 8n, prepare: 0n }, ['profiles'])).toBe('visible')
    await watch.stop()
  })
})

describe('a primary that goes away', () => {
  it('leaves the reads to the replicas, which say that nothing is confirmed, until it is back', async () => {
    await bothFit()
    await primary.kill()
    await expect.poll(reads.watch.isPrimaryAway).toBe(true)
    for (let n = 0; n < 5; n++) expect(await readAs('anybody')).toMatchObject({ isReplica: true, newest: written, isConfirmed: false })
    await primary.start()
    await bothFit()
    await expect.poll(async () => (await readAs('anybody')).isConfirmed).toBe(true)
  })
})

describe('one caller, while replicas are paused for longer than the bound, killed and promoted', () => {
  const writeAndShow = async (): Promise<bigint> => {
    written++
    await pools.primary.query(
      `with shown as (update ops.projection_checkpoint set position_commit = 100 + $1::int8 where projection = 'profiles') insert into seen values ($1::int8)`,
      [written],
    )
    return written
  }

  it('reads no less than it has read or was confirmed, unless the answer says so, and nothing of another history', async () => {
    await bothFit()
    const shown = shownOnReplicas({ wait: async () => 'visible' }, reads.watch)
    const now = { isOver: false, confirmed: 0n, seen: 0n, answers: 0 }
    const wrong: string[] = []
    const write = async (): Promise<void> => {
      while (!now.isOver) {
        const n = await writeAndShow()
        if ((await shown.wait({ commit: 100n + n, prepare: 0n }, ['profiles'])) === 'visible') now.confirmed = n
      }
    }
    const read = async (by: ReplicaReads['read']): Promise<void> => {
      while (!now.isOver) {
        const least = now.confirmed > now.seen ? now.confirmed : now.seen
        const answer = await readAs('one caller', by).catch(() => null)
        if (answer === null || answer.newest === null) continue
        const { newest, isConfirmed } = answer
        if (newest > written) wrong.push(`${newest} was never written`)
        if (isConfirmed && newest < least) wrong.push(`${newest} after ${least}`)
        if (newest > now.seen) now.seen = newest
        now.answers++
      }
    }
    const during = async (trouble: () => Promise<void>): Promise<void> => {
      await trouble()
      const before = now.answers
      await expect.poll(() => now.answers).toBeGreaterThan(before)
    }
    const running = [write(), read(reads.read), read(lookUp), read(lookUp)]
    await during(async () => {
      await pools.second.query('select pg_wal_replay_pause()')
      await expect.poll(faultOf(1)).toContain('behind')
    })
    await during(async () => {
      await first.kill()
      await expect.poll(faultOf(0)).toContain('does not answer')
    })
    await pools.second.query('select pg_wal_replay_resume()')
    await first.start()
    await during(bothFit)
    await during(async () => {
      await pools.first.query('select pg_promote()')
      await pools.first.query('insert into seen values (1000000)')
      await expect.poll(faultOf(0)).toContain('promoted')
    })
    now.isOver = true
    await Promise.all(running)
    expect(wrong).toEqual([])
    expect(now.confirmed).toBeGreaterThan(0n)
  })
})
