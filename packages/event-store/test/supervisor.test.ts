import { describe, expect, test } from 'vitest'
import { type Batch, type Position, START } from '../src/port.ts'
import { type Drop, type SupervisorOptions, supervise } from '../src/supervisor.ts'
import { at, numbersOf, recordedRange } from './events.fixture.ts'

const batch = (first: number, last: number): Batch => ({ events: recordedRange(first, last), to: at(last), caughtUp: true })

const silence = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))

type Link = (after: Position, signal: AbortSignal) => AsyncGenerator<Batch>

/** Runs through one scripted connection after the other until `enough` events arrived. */
const supervised = async (links: readonly Link[], enough: number, change: Partial<SupervisorOptions> = {}) => {
  const ending = new AbortController()
  const opened: Position[] = []
  const drops: Drop[] = []
  const batches: Batch[] = []
  const open = (after: Position, signal: AbortSignal) => {
    const link = links[opened.length]
    opened.push(after)
    return link === undefined ? idle(signal) : link(after, signal)
  }
  const options = { from: 'start' as const, signal: ending.signal, open, head: async () => at(0), backoff: { minMs: 1, maxMs: 2 } }
  for await (const delivered of supervise({ ...options, onDrop: (drop) => drops.push(drop), ...change })) {
    batches.push(delivered)
    if (batches.flatMap(({ events }) => events).length >= enough) ending.abort()
  }
  return { opened, drops, batches, numbers: numbersOf(batches.flatMap(({ events }) => events)) }
}

async function* idle(signal: AbortSignal): AsyncGenerator<Batch> {
  await silence(signal)
  yield* []
}

const once = (first: number, last: number): Link =>
  async function* () {
    yield batch(first, last)
  }

describe('a supervised subscription', () => {
  test('takes a quiet end for a drop and opens again behind its last batch', async () => {
    const { numbers, opened, drops } = await supervised([once(1, 3), once(4, 5)], 5)
    expect(numbers).toEqual([1, 2, 3, 4, 5])
    expect(opened).toEqual([START, at(3)])
    expect(drops.map(({ reason, resumeAfter }) => ({ reason, resumeAfter }))).toEqual([{ reason: 'ended', resumeAfter: at(3) }])
  })

  test('opens again after errors, also of the opening itself', async () => {
    const broken: Link = async function* () {
      yield batch(1, 2)
      throw new Error('connection lost')
    }
    const refused: Link = () => {
      throw new Error('connection refused')
    }
    const { numbers, drops } = await supervised([broken, refused, once(3, 4)], 4)
    expect(numbers).toEqual([1, 2, 3, 4])
    expect(drops.map(({ reason, error }) => [reason, (error as Error).message])).toEqual([
      ['failed', 'connection lost'],
      ['failed', 'connection refused'],
    ])
  })

  test('delivers nothing again that a new connection repeats, and never goes back', async () => {
    const goesBack: Link = async function* () {
      yield { events: [], to: at(1), caughtUp: false }
      yield batch(2, 6)
    }
    const { numbers, batches } = await supervised([once(1, 4), goesBack], 6)
    expect(numbers).toEqual([1, 2, 3, 4, 5, 6])
    expect(batches.map(({ to }) => to)).toEqual([at(4), at(4), at(6)])
  })

  test('notices a connection that is silent while the log goes on', async () => {
    const stalled: Link = async function* (_, signal) {
      yield batch(1, 2)
      await silence(signal)
    }
    const { numbers, drops } = await supervised([stalled, once(3, 3)], 3, { watchdogMs: 5, head: async () => at(3) })
    expect(numbers).toEqual([1, 2, 3])
    expect(drops.map((drop) => drop.reason)).toEqual(['stalled'])
  })

  test('leaves a silent connection alone while the log is silent too', async () => {
    let asked = 0
    const quiet: Link = async function* (_, signal) {
      yield batch(1, 2)
      while (asked < 3 && !signal.aborted) await new Promise(setImmediate)
      yield batch(3, 3)
    }
    const head = async () => {
      asked += 1
      return at(2)
    }
    const { numbers, drops } = await supervised([quiet], 3, { watchdogMs: 2, head })
    expect(numbers).toEqual([1, 2, 3])
    expect(drops).toEqual([])
  })

  test('fixes "end" once, so that what is appended before the first batch is not lost', async () => {
    let end = 7
    const broken: Link = async function* () {
      end = 9
      yield* []
    }
    const rest: Link = async function* (after) {
      yield batch(Number(after.commit) + 1, 9)
    }
    const { numbers, opened } = await supervised([broken, rest], 2, { from: 'end', head: async () => at(end) })
    expect(opened).toEqual([at(7), at(7)])
    expect(numbers).toEqual([8, 9])
  })

  test('tells the connection to stop when its consumer leaves', async () => {
    let stopped = false
    const open: Link = async function* (_, signal) {
      signal.addEventListener('abort', () => {
        stopped = true
      })
      yield batch(1, 1)
    }
    const source = supervise({ from: 'start', signal: new AbortController().signal, open, head: async () => at(1) })
    for await (const _ of source) break
    expect(stopped).toBe(true)
  })
})
