import { until } from '@tidings/testing'
import { expect, test } from 'vitest'
import { repeatTasks } from '../../src/retention/start-retention.ts'

test('each task runs in bounded batches until nothing is left, and one that fails does not stop the others', async () => {
  const left = { first: 250, second: 30 }
  const batches: number[] = []
  const faults: string[] = []
  const heard: string[] = []
  const retention = repeatTasks({
    onDeleted: (task, rows) => heard.push(`${task} ${rows}`),
    onFault: (_, task) => faults.push(task),
    tasks: [
      {
        name: 'first',
        batch: 100,
        run: async (batch) => {
          const deleted = Math.min(batch, left.first)
          batches.push(deleted)
          left.first -= deleted
          return deleted
        },
      },
      { name: 'broken', batch: 100, run: async () => Promise.reject(new Error('no')) },
      {
        name: 'second',
        batch: 100,
        run: async () => {
          const deleted = left.second
          left.second = 0
          return deleted
        },
      },
    ],
  })
  await until(() => expect(left).toEqual({ first: 0, second: 0 }))
  await retention.stop()
  expect(batches).toEqual([100, 100, 50])
  expect(faults).toEqual(['broken'])
  expect(heard).toEqual(['first 100', 'first 100', 'first 50', 'second 30'])
})
