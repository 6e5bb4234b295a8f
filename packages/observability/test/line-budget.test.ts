import { expect, test } from 'vitest'
import { createLineBudget } from '../src/line-budget.ts'

test('so many lines pass in a time, and the first one of the next says how many were left out', () => {
  let now = 5
  const said: number[] = []
  const budget = createLineBudget({ lines: 2, perMs: 100, now: () => now })
  const write = (times: number) => {
    for (let n = 0; n < times; n++) budget((unsaid) => said.push(unsaid))
  }
  write(7)
  expect(said).toEqual([0, 0])
  now += 99
  write(1)
  expect(said).toEqual([0, 0])
  now += 1
  write(2)
  expect(said).toEqual([0, 0, 6, 0])
})
