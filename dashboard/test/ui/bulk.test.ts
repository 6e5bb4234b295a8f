import { expect, test } from 'vitest'
import { doForEach, type Progress } from '../../src/ui/bulk.ts'

const rows = Array.from({ length: 10 }, (_, n) => String(n))
const nameOf = (id: string) => ({ id, name: `person ${id}` })
const run = async (doOne: (row: string) => Promise<unknown>, signal = new AbortController().signal) => {
  const seen: Progress[] = []
  const last = await doForEach({ rows, nameOf, doOne, onProgress: (progress) => seen.push(progress), signal })
  return { seen, last }
}

test('each row is done once, and every step is noted', async () => {
  const done: string[] = []
  const { seen, last } = await run(async (row) => done.push(row))
  expect(done.toSorted()).toEqual(rows)
  expect(seen.map((progress) => progress.done)).toEqual([...rows.keys()].map((n) => n + 1).concat(10))
  expect(last).toEqual({ done: 10, failures: [], total: 10, isOver: true })
  expect(seen.filter(({ isOver }) => isOver)).toEqual([last])
})

test('one that fails stops no other, and is named with why', async () => {
  const { last } = await run(async (row) => {
    if (row === '3') throw new Error('it is gone')
    if (row === '7') throw 'no error at all'
  })
  expect(last.done).toBe(8)
  expect(last.failures.toSorted((one, other) => one.id.localeCompare(other.id)).map(({ name, error }) => [name, error.message])).toEqual([
    ['person 3', 'it is gone'],
    ['person 7', 'no error at all'],
  ])
})

test('what is stopped begins nothing more, and what was begun is counted', async () => {
  const stop = new AbortController()
  const { last } = await run(async (row) => {
    if (row === '1') stop.abort()
  }, stop.signal)
  expect(last.isOver).toBe(true)
  expect(last.done).toBeLessThan(10)
  expect(last.done).toBeGreaterThan(0)
})

test('at most four are under way at once', async () => {
  let [now, most] = [0, 0]
  await run(async () => {
    most = Math.max(most, ++now)
    await Promise.resolve()
    now--
  })
  expect(most).toBe(4)
})
