import { logTo } from '@tidings/observability/log'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { sayReady } from '../../src/start/say-ready.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const saying = (answers: readonly (readonly string[])[]) => {
  const lines: { msg?: string; level?: string; roles?: string[] }[] = []
  let looks = 0
  let isStopping = false
  const service = { url: 'http://127.0.0.1:3000', missing: async () => answers[Math.min(looks++, answers.length - 1)] ?? [] }
  const log = logTo({ write: (line: string) => void lines.push(JSON.parse(line)) }, 'info')
  const said = sayReady({ service, log, facts: { roles: ['query-api'] }, isStopping: () => isStopping })
  const stop = () => {
    isStopping = true
  }
  return { lines, said, looks: () => looks, stop }
}

const TABLES = ['read models: no tables yet']

test('a process that is ready says so at once', async () => {
  const { lines, said } = saying([[]])
  await said
  expect(lines).toMatchObject([{ level: 'info', msg: 'Tidings is ready', roles: ['query-api'] }])
})

test('one that is ready a moment later says nothing else', async () => {
  const { lines, said } = saying([TABLES, TABLES, []])
  await vi.advanceTimersByTimeAsync(1_000)
  await said
  expect(lines.map(({ msg }) => msg)).toEqual(['Tidings is ready'])
})

test('one that waits for another says for what, once, and that it is ready when it is', async () => {
  const { lines, said, looks } = saying([...Array.from({ length: 20 }, () => TABLES), []])
  await vi.advanceTimersByTimeAsync(2_000)
  await said
  expect(lines).toMatchObject([{ level: 'warn', msg: expect.stringContaining('not ready yet: read models: no tables yet.') }])
  await vi.advanceTimersByTimeAsync(600_000)
  expect(lines.map(({ msg }) => msg)).toEqual([expect.stringContaining('not ready yet'), 'Tidings is ready'])
  expect(looks()).toBe(21)
})

test('one that is stopped meanwhile never says that it is ready', async () => {
  const { lines, said, stop, looks } = saying([TABLES])
  await vi.advanceTimersByTimeAsync(1_000)
  stop()
  await vi.advanceTimersByTimeAsync(1_000)
  await said
  const before = looks()
  await vi.advanceTimersByTimeAsync(600_000)
  expect(lines).toEqual([])
  expect(looks()).toBe(before)
})
