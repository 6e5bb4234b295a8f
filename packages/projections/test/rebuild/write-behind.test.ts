import { START } from '@tidings/event-store'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { defineProjection } from '../../src/projection.ts'
import { writeBehind } from '../../src/rebuild/write-behind.ts'
import type { Images } from '../../src/row-cache.ts'
import { defineTable, keyText, row } from '../../src/table.ts'
import { WorkingSet } from '../../src/working-set.ts'

type Counter = Readonly<{ id: string; count: number }>

const counters = defineTable<Counter>({ name: 'counters', columns: { id: 'text', count: 'integer' }, key: ['id'], cachedRows: 2 })
const projection = defineProjection({ name: 'counters', version: 1, tables: [counters], reads: () => [], on: {} })

/** A table that refuses what Postgres would: the insert of a row that is there. */
const tableInMemory = () => {
  const rows = new Map<string, object>()
  return {
    rows,
    write: (images: Images): void => {
      for (const [text, image] of images.get(counters) ?? []) {
        if (image.stored === false && rows.has(text)) throw new Error(`${text} is there already`)
        if (image.row === null) rows.delete(text)
        else rows.set(text, image.row)
      }
    },
  }
}

/** What one page does to one row, having read it or, for the blind ones, not. */
const steps = fc.array(
  fc.record({
    id: fc.constantFrom('a', 'b', 'c'),
    what: fc.constantFrom('count', 'count', 'delete', 'blind put', 'blind delete', 'create'),
    drain: fc.boolean(),
  }),
  { maxLength: 30 },
)

test('whenever it is written, the table ends as the folds left it, and no row is inserted twice', () => {
  fc.assert(
    fc.property(steps, (pages) => {
      const behind = writeBehind(projection, { aheadBytes: 1_000, stored: 1, byStream: false })
      const table = tableInMemory()
      const expected = new Map<string, object>()
      for (const { id, what, drain } of pages) {
        const rows = new WorkingSet(behind.cache, START)
        if (what === 'count' || what === 'delete') {
          rows.name([row(counters, id)])
          for (const text of rows.missing().get(counters)?.keys() ?? []) {
            const found = table.rows.get(text) ?? null
            rows.load(counters, { row: found, key: [id], last: START, stored: found !== null })
          }
        }
        const next = { id, count: what === 'count' ? (rows.get(counters, id)?.count ?? 0) + 1 : 100 }
        if (what.endsWith('delete')) {
          rows.delete(counters, id)
          expected.delete(id)
        } else {
          // A fold creates only what is not there.
          if (what === 'create' && !expected.has(id)) rows.create(counters, next)
          else rows.put(counters, next)
          expected.set(id, { id, count: what === 'count' ? ((expected.get(id) as Counter | undefined)?.count ?? 0) + 1 : 100 })
        }
        behind.take(rows.written)
        if (drain || behind.isFull()) table.write(behind.drain())
      }
      table.write(behind.drain())
      expect(new Map([...table.rows].toSorted())).toEqual(new Map([...expected].toSorted()))
    }),
    { numRuns: 500 },
  )
})

/** The streams as they are read, one after the other, in pages of 1 to 4 events. Each is of one counter; most are short, some are not. */
const streams = fc.array(fc.record({ events: fc.array(fc.constantFrom('count', 'count', 'delete'), { minLength: 1, maxLength: 12 }) }), {
  maxLength: 12,
})

test('read stream by stream, rows are looked for in the table only where they may be', () => {
  fc.assert(
    fc.property(streams, fc.infiniteStream(fc.record({ size: fc.integer({ min: 1, max: 4 }), drain: fc.boolean() })), (read, pages) => {
      const behind = writeBehind(projection, { aheadBytes: 1_000, stored: 1, byStream: true })
      const table = tableInMemory()
      const expected = new Map<string, object>()
      const drained = new Set<string>()
      const left = read.flatMap(({ events }, n) => events.map((what) => ({ stream: `s${n}`, id: `c${n}`, what })))
      for (const { size, drain } of pages) {
        const page = left.splice(0, size)
        if (page.length === 0) break
        behind.folds(page)
        const rows = new WorkingSet(behind.cache, START)
        for (const { id } of page) rows.name([row(counters, id)])
        const missing = [...(rows.missing().get(counters)?.values() ?? [])].flat()
        for (const id of missing) {
          const found = table.rows.get(keyText([id])) ?? null
          rows.load(counters, { row: found, key: [id], last: START, stored: found !== null })
        }
        if (!drained.has(page[0]!.stream)) expect(missing).toEqual([])
        for (const { id, what } of page) {
          const next = { id, count: (rows.get(counters, id)?.count ?? 0) + 1 }
          if (what === 'delete') rows.delete(counters, id)
          else rows.put(counters, next)
          if (what === 'delete') expected.delete(keyText([id]))
          else expected.set(keyText([id]), { id, count: ((expected.get(keyText([id])) as Counter | undefined)?.count ?? 0) + 1 })
        }
        behind.take(rows.written)
        if (drain || behind.isFull()) {
          table.write(behind.drain())
          drained.add(page.at(-1)!.stream)
        }
      }
      table.write(behind.drain())
      expect(new Map([...table.rows].toSorted())).toEqual(new Map([...expected].toSorted()))
    }),
    { numRuns: 500 },
  )
})

test('of what the table holds it keeps no more than as much as may be ahead', () => {
  const behind = writeBehind(projection, { aheadBytes: 10_000, stored: 1, byStream: false })
  const drained = (note: number): readonly string[] => {
    const rows = new WorkingSet(behind.cache, START)
    for (const id of ['a', 'b']) rows.put(counters, { id, count: 1, note: 'x'.repeat(note) } as Counter)
    behind.take(rows.written)
    behind.drain()
    return ['a', 'b'].filter((id) => behind.cache.get(counters)?.get(keyText([id])) !== undefined)
  }
  expect(drained(4_000)).toEqual(['a', 'b'])
  expect(drained(6_000)).toEqual(['b'])
  expect(drained(11_000)).toEqual([])
})

test('it is full when its rows take as much memory as they may, and empty once they are handed out', () => {
  const behind = writeBehind(projection, { aheadBytes: 10_000, stored: 1, byStream: false })
  const put = (row: Counter & Readonly<{ note?: string }>): void => {
    const rows = new WorkingSet(behind.cache, START)
    rows.put(counters, row)
    behind.take(rows.written)
  }
  put({ id: 'a', count: 1 })
  put({ id: 'b', count: 1 })
  for (let count = 0; count < 100; count++) put({ id: 'a', count })
  expect(behind.isFull()).toBe(false)
  put({ id: 'a', count: 2, note: 'x'.repeat(10_000) })
  expect(behind.isFull()).toBe(true)
  put({ id: 'a', count: 3 })
  expect(behind.isFull()).toBe(false)
  for (let n = 0; n < 40; n++) put({ id: `c${n}`, count: n })
  expect(behind.isFull()).toBe(true)
  expect(behind.drain().get(counters)?.size).toBe(42)
  expect(behind.isFull()).toBe(false)
})
