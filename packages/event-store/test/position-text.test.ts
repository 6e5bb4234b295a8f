import { expect, test } from 'vitest'
import { type Position, parsePosition, positionText, START } from '../src/port.ts'

const places: readonly Position[] = [
  START,
  { commit: 1n, prepare: 0n },
  { commit: 9n, prepare: 0n },
  { commit: 9n, prepare: 8n },
  { commit: 10n, prepare: 0n },
  { commit: 9_223_372_036_854_775_807n, prepare: 9_223_372_036_854_775_807n },
]

test('texts sort as their positions do, and are read back', () => {
  const texts = places.map(positionText)
  expect(texts.toSorted()).toEqual(texts)
  expect(texts.map(parsePosition)).toEqual(places)
})

test('a person may leave out the zeros', () => {
  expect(parsePosition('42')).toEqual({ commit: 42n, prepare: 0n })
  expect(parsePosition('0')).toEqual(START)
})

test.each(['', '-1', '1-', '1.5', 'x', '123456789012345678901', '1-2-3', ' 1', '9223372036854775808', '1-9223372036854775808'])(
  '%j is no position',
  (text) => {
    expect(parsePosition(text)).toBeNull()
  },
)
