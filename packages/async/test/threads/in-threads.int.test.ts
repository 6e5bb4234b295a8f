import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Done, inThreads } from '../../src/threads/in-threads.ts'
import { ThreadEnded } from '../../src/threads/thread.ts'
import type { Echo, EchoData } from './echo.fixture.ts'

class KnownFault extends Error {}

const NO_TROUBLE: EchoData = { fail: [], die: null, stall: null }
const JOBS = Array.from({ length: 60 }, (_, n) => n)
const echo = (n: number): Echo => ({ n, bytes: new Uint8Array([n]) })

type ThreadRunOptions = Readonly<{ threads: number; data?: Partial<EchoData>; signal?: AbortSignal; here?: (n: number) => Promise<Echo> }>

const run = ({ threads, data, signal, here = async (n) => echo(n) }: ThreadRunOptions, jobs: readonly number[] = JOBS) =>
  inThreads<number, Echo>(jobs, {
    ...{ module: new URL('./echo.fixture.ts', import.meta.url), threads, here, signal },
    data: { ...NO_TROUBLE, ...data },
  })

/** What came before it ended, and how it ended. */
const collected = async (done: AsyncIterable<Done<number, Echo>>): Promise<Readonly<{ got: readonly Echo[]; error: unknown }>> => {
  const got: Echo[] = []
  try {
    for await (const { job, result } of done) {
      expect(result.n).toBe(job)
      got.push(result)
    }
    return { got, error: null }
  } catch (error) {
    return { got, error }
  }
}

test('the results are in the order of the jobs, whatever failed in a thread is done here', async () => {
  const trouble = fc.record({
    threads: fc.integer({ min: 1, max: 4 }),
    fail: fc.uniqueArray(fc.nat(59), { maxLength: 8 }),
    count: fc.nat(60),
  })
  await fc.assert(
    fc.asyncProperty(trouble, async ({ threads, fail, count }) => {
      const jobs = JOBS.slice(0, count)
      expect(await collected(run({ threads, data: { fail } }, jobs))).toEqual({ got: jobs.map(echo), error: null })
    }),
    { numRuns: 8 },
  )
})

test('an error is the one of this thread, in its place of the order', async () => {
  const here = async (n: number): Promise<Echo> => Promise.reject(new KnownFault(`job ${n}`))
  const { got, error } = await collected(run({ threads: 3, data: { fail: [23] }, here }))
  expect([got.length, error]).toEqual([23, new KnownFault('job 23')])
  expect(error).toBeInstanceOf(KnownFault)
})

test('threads that cannot open are given less and less: the others do the work, and no more than two jobs at once', async () => {
  const doneHere: number[] = []
  const here = async (n: number): Promise<Echo> => {
    doneHere.push(n)
    return echo(n)
  }
  const jobs = Array.from({ length: 200 }, (_, n) => n)
  expect(await collected(run({ threads: 4, data: { broken: 1 }, here }, jobs))).toEqual({ got: jobs.map(echo), error: null })
  expect(doneHere.length).toBeGreaterThan(0)
  expect(doneHere.length).toBeLessThan(20)
})

test('a thread that dies ends the work where it was, and what is before it has come', async () => {
  const { got, error } = await collected(run({ threads: 2, data: { die: 30 } }))
  expect(error).toBeInstanceOf(ThreadEnded)
  expect(got).toEqual(JOBS.slice(0, got.length).map(echo))
  expect(got.length).toBeLessThanOrEqual(30)
})

test('who stops reading ends the threads, and so does the signal, whatever a thread is at', async () => {
  const threadsNow = (): number => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length
  const before = threadsNow()
  for await (const { job } of run({ threads: 3 })) if (job === 5) break
  await expect.poll(threadsNow).toBeLessThanOrEqual(before)
  const stopping = new AbortController()
  const results = collected(run({ threads: 3, data: { stall: 4 }, signal: stopping.signal }))
  stopping.abort(new KnownFault('enough'))
  const { error } = await results
  expect(error).toEqual(new KnownFault('enough'))
  await expect.poll(threadsNow).toBeLessThanOrEqual(before)
})
