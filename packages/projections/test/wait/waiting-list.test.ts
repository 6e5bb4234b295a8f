import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Waiter, waitingList } from '../../src/wait/read-side.ts'

const at = (commit: number) => ({ commit: BigInt(commit), prepare: 0n })

test('in whatever order they came, exactly those whose position is reached are answered, each once', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20)), fc.array(fc.nat(20)), (positions, moves) => {
      const list = waitingList()
      const answered: number[] = []
      for (const position of positions) list.add({ position: at(position), live: true, reached: () => answered.push(position) })
      let reached = -1
      for (const move of moves) {
        list.reached(at(move))
        reached = Math.max(reached, move)
        expect(answered.toSorted()).toEqual(positions.filter((position) => position <= reached).toSorted())
      }
      expect(list.size()).toBe(positions.filter((position) => position > reached).length)
    }),
  )
})

test('a waiter that has given up is not answered, and leaves the list while nothing is reached', () => {
  const list = waitingList()
  const gone: Waiter = { position: at(5), live: false, reached: () => expect.unreachable('this waiter has given up') }
  list.add(gone)
  list.reached(at(1))
  expect(list.size()).toBe(0)
  list.add(gone)
  list.reached(at(5))
  expect(list.size()).toBe(0)
})
