import { expect, it } from 'vitest'
import { loadConfig } from '../src/load-config.ts'
import { processCount } from '../src/process-count.ts'

const MB = 1_048_576
const count = (cores: number, env: Readonly<Record<string, string>> = {}, memory = 64_000 * MB) =>
  processCount(loadConfig(env, null), { cores, memory })

it('is one on up to two cores, then leaves one core to Postgres; a number says it', () => {
  expect([1, 2, 3, 4, 16].map((cores) => count(cores))).toEqual([1, 1, 2, 3, 15])
  expect(count(16, { TIDINGS_PROCESSES: 'auto' })).toBe(15)
  expect(count(2, { TIDINGS_PROCESSES: '4' })).toBe(4)
})

it('is one on a database of the operator, whose connections he has counted, unless he says a number', () => {
  const own = { TIDINGS_DATABASE_URL: 'postgres://localhost/tidings' }
  expect(count(16, own)).toBe(1)
  expect(count(16, { ...own, TIDINGS_PROCESSES: 'auto' })).toBe(1)
  expect(count(16, { ...own, TIDINGS_PROCESSES: '4' })).toBe(4)
})

it('is never more than have memory, unless a number says it', () => {
  expect([256, 512, 1_024, 2_048].map((mb) => count(16, {}, mb * MB))).toEqual([1, 1, 3, 8])
  expect(count(16, { TIDINGS_PROCESSES: '4' }, 512 * MB)).toBe(4)
})

it.each(['0', '129', '1.5', 'all'])('refuses %s in one sentence', (processes) => {
  expect(() => count(2, { TIDINGS_PROCESSES: processes })).toThrow(
    /^TIDINGS_PROCESSES must be a whole number from 1 to 128, or auto, not .*\.$/,
  )
})
