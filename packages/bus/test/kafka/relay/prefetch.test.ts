import { expect, test } from 'vitest'
import { prefetch } from '../../../src/kafka/relay/lead.ts'

function counting(upTo: number) {
  const state = { made: 0, closed: false }
  async function* numbers() {
    try {
      while (state.made < upTo) yield ++state.made
    } finally {
      state.closed = true
    }
  }
  return { state, numbers: numbers() }
}

test('gives every item in its order, and is one ahead', async () => {
  const { state, numbers } = counting(5)
  const seen: number[] = []
  for await (const number of prefetch(numbers)) {
    await new Promise(setImmediate)
    expect(state.made).toBe(Math.min(number + 1, 5))
    seen.push(number)
  }
  expect(seen).toEqual([1, 2, 3, 4, 5])
})

test('closes its source when its reader stops', async () => {
  const { state, numbers } = counting(5)
  for await (const number of prefetch(numbers)) if (number === 2) break
  await new Promise(setImmediate)
  expect(state).toEqual({ made: 3, closed: true })
})

test('throws what its source throws, behind the items before it', async () => {
  async function* failing() {
    yield 1
    throw new Error('no more')
  }
  const seen: number[] = []
  await expect(async () => {
    for await (const number of prefetch(failing())) seen.push(number)
  }).rejects.toThrow('no more')
  expect(seen).toEqual([1])
})
