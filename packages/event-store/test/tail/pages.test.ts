import { describe, expect, test } from 'vitest'
import type { Batch, Position } from '../../src/port.ts'
import { START } from '../../src/port.ts'
import { type PageLimits, sharedPages } from '../../src/tail/pages.ts'
import { weight } from '../../src/tail/window.ts'
import { at, numbersOf, recordedRange } from '../events.fixture.ts'

/** Pages of a log of `length` events; `held` reads wait for `release`. */
const pagesOf = (length: number, limits?: Partial<PageLimits>) => {
  const log = { length, reads: [] as (Position | 'start')[], now: 0, held: false, failing: false }
  let waiting: (() => void)[] = []
  const readAll = async (after: Position | 'start', limit: number): Promise<Batch> => {
    log.reads.push(after)
    const from = after === 'start' ? 0 : Number(after.commit)
    const events = recordedRange(from + 1, Math.min(log.length, from + limit))
    if (log.held) await new Promise<void>((resolve) => waiting.push(resolve))
    if (log.failing) throw new Error('connection lost')
    return { events, to: events.at(-1)?.position ?? at(from), caughtUp: events.length < limit }
  }
  const release = (): void => {
    for (const resolve of waiting) resolve()
    waiting = []
  }
  const pages = sharedPages({ readAll, now: () => log.now, ...(limits && { limits }) })
  const numbers = async (after: Position, limit = 100) => numbersOf((await pages.read(after, limit)).events)
  return { log, release, pages, numbers }
}

describe('the pages that subscribers share', () => {
  test('are read once for all at one position, and begin at the start of the log', async () => {
    const { log, numbers } = pagesOf(3)
    expect(await Promise.all(Array.from({ length: 13 }, () => numbers(START)))).toEqual(Array(13).fill([1, 2, 3]))
    expect(log.reads).toEqual(['start'])
  })

  test('serve a reader a little further on with the rest of a page, while it is read or kept', async () => {
    const { log, numbers } = pagesOf(6)
    expect(await Promise.all([numbers(at(1)), numbers(at(3))])).toEqual([
      [2, 3, 4, 5, 6],
      [4, 5, 6],
    ])
    expect(await numbers(at(4))).toEqual([5, 6])
    expect(log.reads).toEqual([at(1)])
  })

  test('give each no more than its limit, and its position then', async () => {
    const { log, pages } = pagesOf(6)
    await pages.read(at(0), 6)
    const { events, to } = await pages.read(at(1), 2)
    expect({ events: numbersOf(events), to }).toEqual({ events: [2, 3], to: at(3) })
    expect((await pages.read(at(3), 100)).to).toEqual(at(6))
    expect(log.reads).toHaveLength(1)
  })

  test('are not waited for twice by a reader beyond their end', async () => {
    const { log, release, numbers } = pagesOf(1_000)
    log.held = true
    const behind = numbers(at(1), 10)
    const ahead = [numbers(at(900)), numbers(at(900))]
    log.held = false
    release()
    expect(await behind).toHaveLength(10)
    expect((await Promise.all(ahead)).map((numbers) => numbers.length)).toEqual([100, 100])
    expect(log.reads).toEqual([at(1), at(900)])
  })

  test('never hide what was stored before they were asked for', async () => {
    const { log, release, numbers } = pagesOf(3)
    log.held = true
    const early = numbers(at(3))
    log.length = 4
    const late = numbers(at(3))
    log.held = false
    release()
    expect(await Promise.all([early, late])).toEqual([[], [4]])
  })

  test('fail for all that waited, and are read again at the next call', async () => {
    const { log, numbers } = pagesOf(3)
    log.failing = true
    const answers = await Promise.allSettled([numbers(at(0)), numbers(at(1))])
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    log.failing = false
    expect(await numbers(at(1))).toEqual([2, 3])
  })

  test('are dropped when they have not been requested for a while', async () => {
    const { log, pages, numbers } = pagesOf(3, { keepMs: 1_000 })
    await numbers(at(0))
    log.now = 900
    await numbers(at(1))
    log.now = 1_800
    pages.forget()
    await numbers(at(2))
    expect(log.reads).toHaveLength(1)
    log.now = 2_800
    pages.forget()
    await numbers(at(2))
    expect(log.reads).toHaveLength(2)
  })

  test('stay under their bytes by letting go of the one that was asked for longest ago', async () => {
    const event = recordedRange(1, 1).map(weight)[0] ?? 0
    const { log, numbers } = pagesOf(30, { maxBytes: 20 * event })
    for (const from of [0, 10, 20]) {
      log.now += 1
      await numbers(at(from), 10)
    }
    await numbers(at(15), 10)
    await numbers(at(25), 10)
    expect(log.reads).toHaveLength(3)
    await numbers(at(5), 10)
    expect(log.reads).toHaveLength(4)
  })

  test('over their bytes are read for those who wait, and not kept', async () => {
    const { log, numbers } = pagesOf(10, { maxBytes: 100 })
    expect(await Promise.all([numbers(at(0)), numbers(at(0))])).toHaveLength(2)
    expect(log.reads).toHaveLength(1)
    await numbers(at(0))
    expect(log.reads).toHaveLength(2)
  })
})
