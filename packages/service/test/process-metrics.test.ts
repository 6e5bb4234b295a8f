import { metrics } from '@tidings/observability/metrics'
import { expect, test } from 'vitest'
import { observeReads } from '../src/process-metrics.ts'

const shown = async (answer: string): Promise<number> => {
  const start = `tidings_write_visible_total{answer="${answer}"} `
  const line = (await metrics.metrics()).split('\n').find((one) => one.startsWith(start))
  return Number(line?.slice(start.length) ?? 0)
}
const both = async (): Promise<readonly number[]> => [await shown('visible'), await shown('pending')]

test('waits for reads are counted by how they end, however often they are looked at', async () => {
  // Other files of this process may have waited before.
  const [visible = 0, pending = 0] = await both()
  const answers = ['visible', 'pending', 'visible'] as const
  let asked = 0
  const reads = observeReads({ wait: async () => answers[asked++] ?? 'visible', waiting: () => 0, close: async () => undefined })
  await reads.wait({ commit: 1n, prepare: 0n }, ['messages'])
  await reads.wait({ commit: 2n, prepare: 0n }, ['messages'])
  await both()
  expect(await both()).toEqual([visible + 1, pending + 1])
  await reads.wait({ commit: 3n, prepare: 0n }, ['messages'])
  expect(await both()).toEqual([visible + 2, pending + 1])
})
