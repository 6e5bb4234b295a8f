import { asWorkspaceId } from '@tidings/domain'
import { transaction } from '@tidings/postgres'
import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { admit } from '../src/admit.ts'
import { inboxDepth } from '../src/depth.ts'
import type { Job, Lease, NewJob, Verdict } from '../src/job.ts'
import { JobLease } from '../src/job-lease.ts'
import { type LanesOptions, type RunningLanes, runLanes } from '../src/run-lanes.ts'
import { settleAndClaim } from '../src/settle-and-claim.ts'

const KIND = 'test'
const A = asWorkspaceId('0192b1f0-0000-7000-8000-00000000000a')
const B = asWorkspaceId('0192b1f0-0000-7000-8000-00000000000b')

let db: TestDatabase
let running: RunningLanes[] = []
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())
beforeEach(() => db.pool.query('truncate inbox.job'))
afterEach(async () => {
  await Promise.all(running.map((lanes) => lanes.stop(100)))
  running = []
})

const job = (lane: string, seq: number, workspaceId = A): NewJob => ({ workspaceId, lane, seq: BigInt(seq), payload: `${lane}${seq}` })
const admitted = async (...jobs: NewJob[]) => (await transaction(db.pool, (tx) => admit(tx, KIND, jobs))).added
const lanes = (work: LanesOptions['work'], options: Partial<LanesOptions> = {}): RunningLanes => {
  const started = runLanes({ pool: db.pool, kind: KIND, pollMs: 20, ...options, work })
  running.push(started)
  return started
}
const waiting = async (): Promise<number> => (await inboxDepth(db.pool, 1_000_000))[0]?.waiting ?? 0
const untilEmpty = () => until(async () => expect(await waiting()).toBe(0))
/** The database's clock decides what is due; tests move the due times instead of waiting. */
const makeAllDue = () => db.pool.query(`update inbox.job set due_at = now() - interval '1 s' where token is null and due_at is not null`)
const tick = () => new Promise((resolve) => setTimeout(resolve, 2))

describe('admission', () => {
  test('a batch is one statement, and what is already there is left alone', async () => {
    expect(await admitted(job('a', 1), job('a', 2), job('b', 3))).toBe(3)
    expect(await admitted(job('a', 1), job('a', 2), job('b', 3), job('b', 4))).toBe(1)
    expect(await waiting()).toBe(4)
  })

  test('a rolled back transaction admits nothing', async () => {
    const failed = transaction(db.pool, async (tx) => {
      await admit(tx, KIND, [job('a', 1)])
      throw new Error('no')
    })
    await expect(failed).rejects.toThrow('no')
    expect(await waiting()).toBe(0)
  })
})

describe('lanes', () => {
  test('a lane runs in order and one at a time, while many lanes run at once', async () => {
    const order = new Map<string, bigint[]>()
    const active = new Map<string, number>()
    let most = 0
    const names = Array.from({ length: 20 }, (_, n) => `lane-${String.fromCharCode(97 + n)}`)
    for (let seq = 0; seq < 10; seq++) await admitted(...names.map((name) => job(name, seq)))
    lanes(async ({ payload, seq }) => {
      const lane = payload.replace(/\d+$/, '')
      active.set(lane, (active.get(lane) ?? 0) + 1)
      expect(active.get(lane)).toBe(1)
      most = Math.max(most, [...active.values()].filter((count) => count > 0).length)
      await tick()
      order.set(lane, [...(order.get(lane) ?? []), seq])
      active.set(lane, 0)
      return 'done'
    })
    await untilEmpty()
    expect([...order.keys()].sort()).toEqual(names)
    for (const seqs of order.values()) expect(seqs).toEqual([0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n])
    expect(most).toBeGreaterThan(5)
  })

  test('two processes share the work, and a lane is still one at a time', async () => {
    const active = new Set<string>()
    const done: string[] = []
    // The quicker one waits for the other to begin: it holds some of the lanes until then, and not all.
    const begun = { one: Promise.withResolvers<void>(), two: Promise.withResolvers<void>() }
    const work =
      (who: keyof typeof begun) =>
      async ({ payload }: Job): Promise<Verdict> => {
        const lane = payload.replace(/\d+$/, '')
        expect(active.has(lane)).toBe(false)
        active.add(lane)
        begun[who].resolve()
        await Promise.all([begun.one.promise, begun.two.promise])
        await tick()
        active.delete(lane)
        done.push(who)
        return 'done'
      }
    for (let seq = 0; seq < 20; seq++) await admitted(...['a', 'b', 'c', 'd', 'e', 'f'].map((name) => job(name, seq)))
    lanes(work('one'), { concurrency: 2 })
    lanes(work('two'), { concurrency: 2 })
    await untilEmpty()
    expect(done).toHaveLength(120)
    expect(new Set(done)).toEqual(new Set(['one', 'two']))
  })

  test('a job that waits for its retry is overtaken, and comes back counted', async () => {
    const seen: string[] = []
    await admitted(job('a', 1), job('a', 2), job('a', 3))
    lanes(async ({ payload, attempt }) => {
      seen.push(`${payload}#${attempt}`)
      return payload === 'a1' && attempt === 0 ? { type: 'Deferred', inMs: 3_600_000, counts: true, deferredFor: 'retry' } : 'done'
    })
    await until(() => expect(seen).toEqual(['a1#0', 'a2#0', 'a3#0']))
    await until(async () => expect(await waiting()).toBe(1))
    await makeAllDue()
    await untilEmpty()
    expect(seen.at(-1)).toBe('a1#1')
  })

  test('a retry that comes due does not run beside another job of its lane', async () => {
    const gate = Promise.withResolvers<void>()
    const events: string[] = []
    await admitted(job('a', 1), job('a', 2))
    lanes(async ({ payload, attempt }) => {
      events.push(`${payload}#${attempt} begins`)
      if (payload === 'a1' && attempt === 0) return { type: 'Deferred', inMs: 3_600_000, counts: true, deferredFor: 'retry' }
      if (payload === 'a2') await gate.promise
      events.push(`${payload}#${attempt} ends`)
      return 'done'
    })
    await until(() => expect(events).toContain('a2#0 begins'))
    await makeAllDue()
    await admitted(job('b', 9))
    await until(() => expect(events).toContain('b9#0 ends'))
    expect(events).not.toContain('a1#1 begins')
    gate.resolve()
    await untilEmpty()
    expect(events.indexOf('a1#1 begins')).toBeGreaterThan(events.indexOf('a2#0 ends'))
  })

  test('workspaces take turns: a crowd in one does not delay the other', async () => {
    const seen: string[] = []
    await admitted(...Array.from({ length: 500 }, (_, n) => job(`crowd${n}x`, n, A)))
    await admitted(job('small', 1_000, B))
    lanes(
      async ({ workspaceId }) => {
        seen.push(workspaceId)
        return 'done'
      },
      { concurrency: 4 },
    )
    await untilEmpty()
    expect(seen.indexOf(B)).toBeLessThan(8)
  })

  test('more workspaces than one claim visits are all served', async () => {
    const workspaces = Array.from({ length: 60 }, (_, n) => `0192b1f0-0000-7000-8000-0000000001${String(n).padStart(2, '0')}`)
    const seen = new Set<string>()
    await admitted(
      ...workspaces.map((workspaceId, n) => job('x', n, asWorkspaceId(workspaceId))).map((each, n) => ({ ...each, lane: `w${n}` })),
    )
    lanes(
      async ({ workspaceId }) => {
        seen.add(workspaceId)
        return 'done'
      },
      { concurrency: 2 },
    )
    await untilEmpty()
    expect([...seen].sort()).toEqual(workspaces)
  })
})

describe('leases', () => {
  /** A worker that takes a job and is never heard of again. */
  const claimOnce = async (leaseMs: number): Promise<Lease> => {
    const askedAt = performance.now()
    const { claimed } = await settleAndClaim(db.pool, { kind: KIND, settled: [], limit: 1, leaseMs, after: null })
    return new JobLease(claimed[0]!, { pool: db.pool, kind: KIND, leaseMs, askedAt })
  }

  test('a worker that is gone loses its job to another, and cannot settle it any more', async () => {
    await admitted(job('a', 1))
    const stuck = await claimOnce(30_000)
    await db.pool.query(`update inbox.job set due_at = now() - interval '1 s'`)
    const seen: string[] = []
    lanes(async ({ payload }) => {
      seen.push(payload)
      await expect(stuck.ensure(60_000)).rejects.toMatchObject({ name: 'Fenced' })
      return 'done'
    })
    await untilEmpty()
    expect(seen).toEqual(['a1'])
  })

  test('ensure renews only what would run out, by the clock of the database', async () => {
    await admitted(job('a', 1))
    const lease = await claimOnce(30_000)
    const leaseEnd = async () => (await db.pool.query<{ end: Date }>('select due_at as end from inbox.job')).rows[0]?.end.getTime() ?? 0
    const first = await leaseEnd()
    await lease.ensure(5_000)
    expect(await leaseEnd()).toBe(first)
    await lease.ensure(40_000)
    expect(await leaseEnd()).toBeGreaterThan(first + 5_000)
  })
})

describe('stopping', () => {
  test('finishes what was begun and gives back the rest, which another process takes at once', async () => {
    const begun = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const seen: string[] = []
    await admitted(...Array.from({ length: 6 }, (_, n) => job(`lane${n}x`, n)))
    const first = lanes(
      async ({ payload }) => {
        seen.push(payload)
        begun.resolve()
        await gate.promise
        return 'done'
      },
      { concurrency: 2 },
    )
    await begun.promise
    const stopped = first.stop(5_000)
    gate.resolve()
    await stopped
    expect(seen).toHaveLength(2)
    lanes(async ({ payload, attempt }) => {
      expect(attempt).toBe(0)
      seen.push(payload)
      return 'done'
    })
    await untilEmpty()
    expect(new Set(seen).size).toBe(6)
  })

  test('a job that was taken over and has not begun is taken over by the next worker too', async () => {
    await admitted(job('a', 1), job('b', 2))
    await settleAndClaim(db.pool, { kind: KIND, settled: [], limit: 2, leaseMs: 30_000, after: null })
    await db.pool.query(`update inbox.job set due_at = now() - interval '1 s'`)
    const begun = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const seen: boolean[] = []
    const worker: LanesOptions['work'] = async ({ takenOver }) => {
      seen.push(takenOver)
      begun.resolve()
      await gate.promise
      return 'done'
    }
    const first = lanes(worker, { concurrency: 1 })
    await begun.promise
    const stopped = first.stop(5_000)
    gate.resolve()
    await stopped
    await db.pool.query(`update inbox.job set due_at = now() - interval '1 s'`)
    lanes(worker)
    await untilEmpty()
    expect(seen).toEqual([true, true])
  })

  test('work that does not end is aborted after the grace and given back uncounted', async () => {
    await admitted(job('a', 1))
    const begun = Promise.withResolvers<void>()
    const first = lanes((_, __, signal) => {
      begun.resolve()
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))
    })
    await begun.promise
    await first.stop(50)
    const { rows } = await db.pool.query('select attempt, token from inbox.job')
    expect(rows).toEqual([{ attempt: 0, token: null }])
  })
})

test('work that does not even heed its abort is left to its lease', async () => {
  await admitted(job('a', 1))
  const begun = Promise.withResolvers<void>()
  const first = lanes(() => {
    begun.resolve()
    return new Promise(() => undefined)
  })
  await begun.promise
  await first.stop(10)
  const { rows } = await db.pool.query('select attempt, token is null as free from inbox.job')
  expect(rows).toEqual([{ attempt: 0, free: false }])
})

test('a fault of something the work stands on is not counted against the job', async () => {
  await admitted(job('a', 1))
  let away = true
  const attempts: number[] = []
  lanes(async ({ attempt }) => {
    attempts.push(attempt)
    if (away) throw Object.assign(new Error('the log is away'), { retryable: true })
    return 'done'
  })
  await until(async () =>
    expect((await db.pool.query('select last_error from inbox.job')).rows).toEqual([{ last_error: 'the log is away' }]),
  )
  away = false
  await makeAllDue()
  await untilEmpty()
  // It may have been tried more often while the log was away.
  expect(attempts.length).toBeGreaterThan(1)
  expect(new Set(attempts)).toEqual(new Set([0]))
})

test('a queue of a hundred thousand jobs costs the process no more than what it works on', async () => {
  await db.pool.query(
    `insert into inbox.job (kind, lane, seq, workspace_id, payload, due_at)
     select $1, n, n, $2, 'x', now() from generate_series(1, 100000) n`,
    [KIND, A],
  )
  let held = 0
  let done = 0
  const started = lanes(
    async () => {
      const { running: atWork, waiting: claimed } = started.load()
      held = Math.max(held, atWork + claimed)
      done++
      return 'done'
    },
    { concurrency: 64 },
  )
  await until(() => expect(done).toBeGreaterThan(3_000))
  await started.stop()
  expect(held).toBeLessThanOrEqual(128)
  expect(await waiting()).toBe(100_000 - done)
})
