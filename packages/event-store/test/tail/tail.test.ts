import { describe, expect, test } from 'vitest'
import type { Batch, Position } from '../../src/port.ts'
import { createTail, type TailOptions } from '../../src/tail/tail.ts'
import { at, numbersOf, recordedRange } from '../events.fixture.ts'

/** A log of `length` events that counts how often it is read. */
const logOf = (length: number) => {
  const log = { length, reads: 0, failures: 0 }
  const readAll = async (after: Position | 'start', limit: number): Promise<Batch> => {
    log.reads += 1
    if (log.failures > 0) {
      log.failures -= 1
      throw new Error('connection lost')
    }
    const from = after === 'start' ? 0 : Number(after.commit)
    const events = recordedRange(from + 1, Math.min(log.length, from + limit))
    return { events, to: events.at(-1)?.position ?? at(from), caughtUp: events.length < limit }
  }
  return { log, readAll, head: async () => at(log.length) }
}

const iterate = (options: TailOptions, from: Position | 'start' | 'end', maxBatch = 100) => {
  const tail = createTail(options)
  const ending = new AbortController()
  const iterator = tail.subscribe({ from, signal: ending.signal, maxBatch })[Symbol.asyncIterator]()
  const next = async (): Promise<Batch> => {
    const result = await iterator.next()
    if (result.done === true) throw new Error('the subscription ended')
    return result.value
  }
  return { tail, next, ending, iterator }
}

describe('the shared tail', () => {
  test('reads the log up to the window, and nothing of it once inside', async () => {
    const { log, ...source } = logOf(10)
    const { tail, next } = iterate(source, 'start')
    tail.open(at(10))
    expect(numbersOf((await next()).events)).toHaveLength(10)
    tail.extend(at(10), recordedRange(11, 12), at(12))
    expect(numbersOf((await next()).events)).toEqual([11, 12])
    tail.extend(at(12), recordedRange(13, 13), at(13))
    expect(await next()).toMatchObject({ to: at(13), caughtUp: true })
    expect(log.reads).toBe(1)
  })

  test('delivers from the log while there is no window yet, and is caught up only by word of the feed', async () => {
    const source = logOf(5)
    const { tail, next } = iterate(source, 'start')
    expect(await next()).toMatchObject({ to: at(5), caughtUp: false })
    const pending = next()
    tail.open(at(5))
    expect(await pending).toEqual({ events: [], to: at(5), caughtUp: true })
  })

  test('a word of the feed without events wakes the idle, and only says that nothing is new', async () => {
    const { tail, next } = iterate(logOf(3), 'end')
    tail.open(at(3))
    expect(await next()).toEqual({ events: [], to: at(3), caughtUp: true })
    const pending = next()
    await new Promise(setImmediate)
    expect(tail.extend(at(3), [], at(3))).toBe(true)
    expect(await pending).toEqual({ events: [], to: at(3), caughtUp: true })
  })

  test('who is left behind by the window reads the log and comes back', async () => {
    const { log, ...source } = logOf(3)
    const { tail, next } = iterate({ ...source, window: { maxEvents: 4 } }, 'end', 3)
    tail.open(at(3))
    await next()
    log.length = 13
    tail.extend(at(3), recordedRange(4, 13), at(13))
    const seen: number[] = []
    for (let batches = 0; batches < 4; batches++) seen.push(...numbersOf((await next()).events))
    expect(seen).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12, 13])
    expect(log.reads).toBeLessThanOrEqual(3)
  })

  test('who was left behind together reads the log once, and is back inside together', async () => {
    const { log, ...source } = logOf(3)
    const tail = createTail({ ...source, window: { maxEvents: 4 } })
    tail.open(at(3))
    log.length = 13
    tail.extend(at(3), recordedRange(4, 13), at(13))
    const from = [3, 4, 3].map((n) => tail.subscribe({ from: at(n), signal: new AbortController().signal })[Symbol.asyncIterator]())
    const first = await Promise.all(from.map(async (iterator) => (await iterator.next()).value))
    expect(first.map(({ to }) => to)).toEqual([at(13), at(13), at(13)])
    tail.extend(at(13), recordedRange(14, 14), at(14))
    const second = await Promise.all(from.map(async (iterator) => numbersOf((await iterator.next()).value.events)))
    expect(second).toEqual([[14], [14], [14]])
    expect(log.reads).toBe(1)
  })

  test('tries again when the log cannot be read', async () => {
    const { log, ...source } = logOf(2)
    log.failures = 2
    const errors: unknown[] = []
    const { next } = iterate({ ...source, onError: (error) => errors.push(error) }, 'start')
    expect(numbersOf((await next()).events)).toEqual([1, 2])
    expect(errors).toHaveLength(2)
  })

  test('keeps nothing once everybody has seen everything and the log is quiet', async () => {
    const { log, ...source } = logOf(3)
    const { tail, next } = iterate(source, 'end')
    tail.open(at(3))
    await next()
    log.length = 6
    tail.extend(at(3), recordedRange(4, 6), at(6))
    await next()
    for (let n = 0; n < 6; n++) tail.extend(at(6), [], at(6))
    const late = tail.subscribe({ from: at(3), signal: new AbortController().signal })[Symbol.asyncIterator]()
    expect(numbersOf((await late.next()).value.events)).toEqual([4, 5, 6])
    expect(log.reads).toBe(1)
  })

  test('forgets who left', async () => {
    const { tail, next, iterator } = iterate(logOf(1), 'start')
    tail.open(at(1))
    await next()
    expect(tail.subscribers()).toBe(1)
    await iterator.return?.()
    expect(tail.subscribers()).toBe(0)
  })
})
