import { comparePositions, type Position } from '@tidings/event-store'
import { expect, it } from 'vitest'
import { shownSinceAsked } from '../../src/wait/require-shown.ts'

const at = (commit: number): Position => ({ commit: BigInt(commit), prepare: 0n })

/** A log that grows by ten between two questions, and a read side that is always so far behind it. */
const behindBy = (lag: number) => {
  const state = { head: 100, heads: 0, waits: [] as bigint[] }
  const shown = shownSinceAsked({
    head: async () => {
      state.heads++
      return at(state.head)
    },
    reads: {
      wait: async (position) => {
        state.waits.push(position?.commit ?? 0n)
        return position === null || comparePositions(position, at(state.head - lag)) <= 0 ? 'visible' : 'pending'
      },
    },
    projections: ['messages'],
  })
  const ask = async (...decisions: string[]) => {
    const answer = [...(await shown(decisions))]
    state.head += 10
    return answer
  }
  return { ask, state }
}

it('shows a decision in the end, however long the read side stays behind by as much', async () => {
  const { ask, state } = behindBy(25)
  const answers: (readonly string[])[] = []
  for (let n = 0; n < 4; n++) answers.push(await ask('one'))
  expect(answers).toEqual([[], [], [], ['one']])
  expect(state.waits).toEqual([100n, 100n, 100n, 100n])
})

it('shows each by the moment of its own first question, beside ever new ones', async () => {
  const { ask } = behindBy(25)
  expect(await ask('one')).toEqual([])
  expect(await ask('one', 'two')).toEqual([])
  expect(await ask('three', 'two', 'one')).toEqual([])
  expect(await ask('four', 'two', 'three', 'one')).toEqual(['one'])
  expect(await ask('four', 'two', 'five', 'three')).toEqual(['two'])
})

it('asks for one head, and waits once, for many that ask together', async () => {
  const { ask, state } = behindBy(0)
  const many = Array.from({ length: 1_000 }, (_, n) => `d${n}`)
  expect(await ask(...many)).toEqual(many)
  expect([state.heads, state.waits.length]).toEqual([1, 1])
})

it('remembers nothing of one that it has shown', async () => {
  const { ask, state } = behindBy(0)
  await ask('one')
  await ask('one')
  expect(state.waits).toEqual([100n, 110n])
})

it('shows none where the log cannot be asked', async () => {
  const shown = shownSinceAsked({
    head: () => Promise.reject(new Error('away')),
    reads: { wait: async () => 'visible' },
    projections: [],
  })
  await expect(shown(['one'])).rejects.toThrow('away')
})
