import { asWorkspaceId } from '@tidings/domain'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createMemo } from '../src/memo.ts'

const limits = { maxEvents: 10, maxBytes: 1_000_000, maxAgeMs: 1_000 }
const meta = { workspaceId: asWorkspaceId('w'), actor: 'a', requestId: 'r', schemaVersion: 1, at: '2026-11-21T12:00:00.000Z' }
const event = (id: string, data = '{}') => ({ id, data, meta: 'm' })
const decoded = { data: {}, meta }

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('an event is remembered only under exactly the texts it was decoded from', () => {
  const memo = createMemo(limits)
  memo.set(event('1'), decoded, memo.epoch())
  expect(memo.get(event('1'))).toBe(decoded)
  expect(memo.get(event('1', '{"changed":true}'))).toBeUndefined()
  expect(memo.get({ ...event('1'), meta: 'other' })).toBeUndefined()
})

test('the youngest events are remembered, never more than the limit', () => {
  const memo = createMemo(limits)
  const ids = Array.from({ length: 100 }, (_, n) => String(n))
  for (const id of ids) memo.set(event(id), decoded, memo.epoch())
  const known = ids.filter((id) => memo.get(event(id)))
  expect(known.length).toBeGreaterThanOrEqual(limits.maxEvents / 2)
  expect(known.length).toBeLessThanOrEqual(limits.maxEvents)
  expect(known.at(-1)).toBe('99')
})

test('large events push out the older ones before the bytes run over', () => {
  const memo = createMemo({ ...limits, maxEvents: 1_000, maxBytes: 100_000 })
  const large = 'x'.repeat(20_000)
  for (let n = 0; n < 10; n++) memo.set(event(String(n), large), decoded, memo.epoch())
  const known = Array.from({ length: 10 }, (_, n) => memo.get(event(String(n), large))).filter(Boolean)
  expect(known.length * large.length).toBeLessThanOrEqual(100_000)
})

test('what is personal leaves the memory of an idle process within twice the age', () => {
  const timers = vi.getTimerCount()
  const memo = createMemo(limits)
  memo.set(event('1'), decoded, memo.epoch())
  vi.advanceTimersByTime(1_000)
  expect(memo.get(event('1'))).toBe(decoded)
  vi.advanceTimersByTime(1_000)
  expect(memo.get(event('1'))).toBeUndefined()
  expect(vi.getTimerCount()).toBeLessThanOrEqual(timers)
})

test('a single event, and everything, can be forgotten', () => {
  const memo = createMemo(limits)
  memo.set(event('1'), decoded, memo.epoch())
  memo.set(event('2'), decoded, memo.epoch())
  memo.delete('1')
  expect(memo.get(event('1'))).toBeUndefined()
  memo.clear()
  expect(memo.get(event('2'))).toBeUndefined()
})

test('what was decoded with keys from before a clear is not remembered', () => {
  const memo = createMemo(limits)
  const epoch = memo.epoch()
  memo.set(event('1'), decoded, epoch)
  memo.clear()
  memo.set(event('1'), decoded, epoch)
  memo.set(event('2'), decoded, memo.epoch())
  expect([memo.get(event('1')), memo.get(event('2'))]).toEqual([undefined, decoded])
})
