import { expect, it } from 'vitest'
import { leaderOf } from '../../../src/screens/campaign/leader.ts'

const variant = (sent: number, opened: number, clicked: number) => ({ sent, opened, clicked })

it.each([
  ['one wording', [variant(100, 50, 10)]],
  ['none', []],
  ['wordings that were not sent', [variant(0, 0, 0), variant(0, 0, 0)]],
  ['wordings that do equally well', [variant(100, 40, 10), variant(50, 0, 5)]],
])('of %s none is ahead', (_, variants) => {
  expect(leaderOf(variants)).toBeNull()
})

it('clicks count where there are any, and opens where there are none', () => {
  expect(leaderOf([variant(100, 90, 5), variant(100, 10, 6)])).toMatchObject({ index: 1, by: 'clicked' })
  expect(leaderOf([variant(100, 10, 0), variant(100, 20, 0)])).toMatchObject({ index: 1, by: 'opened' })
})

it('goes by the part of those who got it, not by their number', () => {
  expect(leaderOf([variant(1_000, 0, 50), variant(100, 0, 10)])).toMatchObject({ index: 1 })
})

it('tells a difference that may be chance from one that hardly is', () => {
  expect(leaderOf([variant(100, 0, 10), variant(100, 0, 12)])).toMatchObject({ index: 1, surely: false })
  expect(leaderOf([variant(10_000, 0, 1_000), variant(10_000, 0, 1_200)])).toMatchObject({ index: 1, surely: true })
  expect(leaderOf([variant(1, 0, 1), variant(0, 0, 0)])).toMatchObject({ index: 0, surely: false })
  expect(leaderOf([variant(10, 0, 10), variant(10, 0, 9)])).toMatchObject({ index: 0, surely: false })
})

it('compares the best with the one behind it, of more than two', () => {
  expect(leaderOf([variant(10_000, 0, 100), variant(10_000, 0, 1_200), variant(10_000, 0, 1_190)])).toEqual({
    ...{ index: 1, by: 'clicked', surely: false },
  })
})
