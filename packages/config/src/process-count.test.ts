import { expect, it } from 'vitest'
import { loadConfig } from './load-config.ts'
import { processCount } from './process-count.ts'

const count = (cores: number, processes?: string) =>
  processCount(loadConfig(processes === undefined ? {} : { TIDINGS_PROCESSES: processes }, null), cores)

it('is one on up to two cores, then leaves one core to Postgres; a number says it', () => {
  expect([1, 2, 3, 4, 16].map((cores) => count(cores))).toEqual([1, 1, 2, 3, 15])
  expect(count(16, 'auto')).toBe(15)
  expect(count(2, '4')).toBe(4)
})

it.each(['0', '129', '1.5', 'all'])('refuses %s in one sentence', (processes) => {
  expect(() => count(2, processes)).toThrow(/^TIDINGS_PROCESSES must be a whole number from 1 to 128, or auto, not .*\.$/)
})
