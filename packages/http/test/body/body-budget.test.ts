import { expect, it } from 'vitest'
import { bodyBudget } from '../../src/body/body-budget.ts'

it('one address takes at most its share, all together at most the total', () => {
  const budget = bodyBudget({ total: 100, share: 25 })
  const [first, second] = [budget.reserve('a'), budget.reserve('a')]
  expect([first.take(20), second.take(5), second.take(1)]).toEqual([true, true, false])
  expect(['b', 'c', 'd', 'e'].map((address) => budget.reserve(address).take(25))).toEqual([true, true, true, false])
  first.release()
  expect([second.take(20), second.take(1)]).toEqual([true, false])
})

it('a reservation is given back once, and takes nothing afterwards', () => {
  const budget = bodyBudget({ total: 100, share: 50 })
  const [kept, gone] = [budget.reserve('a'), budget.reserve('a')]
  kept.take(10)
  gone.take(20)
  gone.release()
  gone.release()
  expect([budget.inFlight(), gone.take(1), budget.inFlight()]).toEqual([10, false, 10])
})
