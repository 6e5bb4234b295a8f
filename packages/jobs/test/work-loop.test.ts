import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '@tidings/testing'
import { expect, test } from 'vitest'
import { createWorkLoop, type WorkLoop, type WorkQueue } from '../src/work-loop.ts'

type Job = Readonly<{ id: number; work: (signal: AbortSignal) => Promise<void> }>
type Settled = Readonly<{ id: number; result: 'done' | 'given back' }>

/** A queue in memory: what waits, what was claimed, what was settled in each round. */
const memoryQueue = (waiting: Job[]) => {
  const ready: Job[] = []
  const begun: number[] = []
  const rounds: Settled[][] = []
  const faults: unknown[] = []
  const state = { draining: false, closed: false, fault: null as Error | null }
  const queue: WorkQueue<Job, Settled> = {
    settleAndClaim: async (settlements) => {
      if (state.fault !== null) throw state.fault
      if (!settlements.isEmpty) await settlements.flush(async (settled) => rounds.push([...settled]))
      const claimed = state.draining ? [] : waiting.splice(0)
      ready.push(...claimed)
      return claimed.length > 0
    },
    next: () => ready.shift(),
    run: async ({ id, work }, signal) => {
      begun.push(id)
      await work(signal)
      return { id, result: 'done' }
    },
    drain: () => {
      state.draining = true
      return ready.splice(0).map(({ id }) => ({ id, result: 'given back' }))
    },
    recover: () => rounds.splice(0).flat(),
    close: async () => {
      state.closed = true
    },
    pollMs: () => 60_000,
    gapMs: () => 1,
  }
  const settled = () => rounds.flat().map(({ id, result }) => `${id} ${result}`)
  return { queue, state, faults, begun, rounds, settled, waiting }
}

const start = (memory: ReturnType<typeof memoryQueue>, concurrency = 10): WorkLoop<Job, Settled> =>
  createWorkLoop({ queue: memory.queue, concurrency, onFault: (error) => memory.faults.push(error) })
const atOnce = async () => undefined

test('no more jobs run at once than there are slots, and each that ends makes room for the next', async () => {
  let running = 0
  let most = 0
  const work = async () => {
    most = Math.max(most, ++running)
    await sleep(1)
    running--
  }
  const memory = memoryQueue(Array.from({ length: 20 }, (_, id) => ({ id, work })))
  const loop = start(memory, 3)
  await until(() => expect(memory.settled()).toHaveLength(20))
  expect(most).toBe(3)
  await loop.stop(0)
})

test('an idle loop claims at a wake, long before its poll', async () => {
  const memory = memoryQueue([])
  const loop = start(memory)
  await sleep(5)
  memory.waiting.push({ id: 1, work: atOnce })
  loop.wake()
  await until(() => expect(memory.settled()).toEqual(['1 done']))
  await loop.stop(0)
})

test('what ends singly is settled together where the queue gathers it, and a wake ends the gathering', async () => {
  const memory = memoryQueue([])
  const loop = createWorkLoop({ queue: { ...memory.queue, gatherMs: () => 3_600_000 }, concurrency: 10, onFault: () => undefined })
  const ends = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  memory.waiting.push(...ends.map(({ promise }, id) => ({ id, work: () => promise })))
  loop.wake()
  await until(() => expect(memory.begun).toEqual([0, 1]))
  for (const end of ends) {
    await sleep(20)
    end.resolve()
  }
  await sleep(20)
  expect(memory.settled()).toEqual([])
  loop.wake()
  await until(() => expect(memory.rounds).toEqual([[0, 1].map((id) => ({ id, result: 'done' }))]))
  await loop.stop(0)
})

test('what a failed round was to settle is settled by the next, behind what may have been forgotten', async () => {
  const first = Promise.withResolvers<void>()
  const second = Promise.withResolvers<void>()
  const memory = memoryQueue([
    { id: 1, work: () => first.promise },
    { id: 2, work: () => second.promise },
  ])
  const loop = start(memory)
  first.resolve()
  await until(() => expect(memory.settled()).toEqual(['1 done']))
  memory.state.fault = new Error('the database is away')
  second.resolve()
  await until(() => expect(memory.faults).not.toEqual([]))
  expect(memory.settled()).toEqual([])
  memory.state.fault = null
  await until(() => expect(memory.settled()).toEqual(['1 done', '2 done']))
  await loop.stop(0)
})

test('a stop gives back what has not begun, lets running jobs finish, settles both and closes the queue', async () => {
  const finished = Promise.withResolvers<void>()
  const memory = memoryQueue([
    { id: 1, work: () => finished.promise },
    { id: 2, work: atOnce },
  ])
  const loop = start(memory, 1)
  await until(() => expect(memory.begun).toEqual([1]))
  const stopped = loop.stop(60_000)
  await until(() => expect(memory.settled()).toEqual(['2 given back']))
  expect(memory.state.closed).toBe(false)
  finished.resolve()
  await stopped
  expect(memory.settled()).toEqual(['2 given back', '1 done'])
  expect(memory.state.closed).toBe(true)
})

test('what a round claims while the stop begins is given back', async () => {
  const memory = memoryQueue([])
  const claim = Promise.withResolvers<void>()
  const { settleAndClaim } = memory.queue
  const loop = createWorkLoop({
    queue: {
      ...memory.queue,
      settleAndClaim: async (settlements) => {
        const found = await settleAndClaim(settlements)
        await claim.promise
        return found
      },
    },
    concurrency: 1,
    onFault: (error) => memory.faults.push(error),
  })
  const stopped = loop.stop(60_000)
  claim.resolve()
  await stopped
  expect(memory.state.closed).toBe(true)
})

test('a job that does not end is aborted after the grace, and settled', async () => {
  const work = (signal: AbortSignal) => new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  const memory = memoryQueue([{ id: 1, work }])
  const loop = start(memory)
  await until(() => expect(memory.begun).toEqual([1]))
  await loop.stop(10)
  expect(memory.settled()).toEqual(['1 done'])
})

test('a job that does not heed its abort is abandoned', async () => {
  const memory = memoryQueue([{ id: 1, work: () => new Promise(() => undefined) }])
  const loop = start(memory)
  await until(() => expect(memory.begun).toEqual([1]))
  await loop.stop(10)
  expect([memory.settled(), memory.state.closed]).toEqual([[], true])
})

test('a stop does not wait for the pause after a fault', async () => {
  const memory = memoryQueue([])
  memory.state.fault = new Error('the database is away')
  const loop = start(memory)
  await until(() => expect(memory.faults).not.toEqual([]))
  const before = memory.faults.length
  await loop.stop(60_000)
  expect(memory.faults).toHaveLength(before)
})
