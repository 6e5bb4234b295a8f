import { expect, it } from 'vitest'
import { counter, gauge, metrics } from '../src/metrics.ts'

const shown = async (name: string): Promise<readonly string[]> =>
  (await metrics.getSingleMetricAsString(name)).split('\n').filter((line) => line !== '' && !line.startsWith('#'))

it('a gauge is not shown before it is set, and not once it is removed', async () => {
  const fault = gauge({ name: 'test_fault', help: 'Whether it is faulty' })
  expect(await shown('test_fault')).toEqual([])
  fault.set(0)
  expect(await shown('test_fault')).toEqual(['test_fault 0'])
  fault.remove()
  expect(await shown('test_fault')).toEqual([])
})

it('one with labels is shown for each that was set', async () => {
  const outage = gauge({ name: 'test_outage', help: 'Whether it is away', labelNames: ['channel'] })
  expect(await shown('test_outage')).toEqual([])
  outage.set({ channel: 'email' }, 1)
  expect(await shown('test_outage')).toEqual(['test_outage{channel="email"} 1'])
})

it('a counter without labels begins with none', async () => {
  counter({ name: 'test_things_total', help: 'Things' })
  expect(await shown('test_things_total')).toEqual(['test_things_total 0'])
})
