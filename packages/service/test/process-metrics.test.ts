import { metrics } from '@tidings/observability/metrics'
import { expect, test } from 'vitest'
import { observeReads } from '../src/process-metrics.ts'

const linesOf = async (): Promise<readonly string[]> =>
  (await metrics.metrics()).split('\n').filter((line) => line.startsWith('tidings_write_visible_total'))

test('waits for reads are counted by how they end, however often they are looked at', async () => {
  const answers = ['visible', 'pending', 'visible'] as const
  let asked = 0
  const reads = observeReads({ wait: async () => answers[asked++] ?? 'visible', waiting: () => 0, close: async () => undefined })
  await reads.wait({ commit: 1n, prepare: 0n }, ['messages'])
  await reads.wait({ commit: 2n, prepare: 0n }, ['messages'])
  await linesOf()
  expect(await linesOf()).toEqual(['tidings_write_visible_total{answer="visible"} 1', 'tidings_write_visible_total{answer="pending"} 1'])
  await reads.wait({ commit: 3n, prepare: 0n }, ['messages'])
  expect(await linesOf()).toContain('tidings_write_visible_total{answer="visible"} 2')
})
