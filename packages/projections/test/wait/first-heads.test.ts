import { expect, it } from 'vitest'
import { createFirstHeads } from '../../src/wait/first-heads.ts'

const HOUR = 3_600_000

const open = () => {
  let head = 1n
  let now = 1
  const heads = createFirstHeads(async () => ({ commit: head, prepare: 0n }), { keptMs: 1_000, now: () => now })
  return {
    of: async (decision: string) => (await heads.of(decision)).commit,
    forget: heads.forget,
    goesTo: (commit: bigint) => {
      head = commit
    },
    pass: (ms: number) => {
      now += ms
    },
  }
}

it('keeps the head of the first time that a decision asks, as long as it goes on asking', async () => {
  const { of, goesTo, pass } = open()
  const asked: bigint[] = []
  for (const head of [1n, 2n, 3n, 4n]) {
    goesTo(head)
    asked.push(await of('one'))
    pass(900)
  }
  expect([...asked, await of('another')]).toEqual([1n, 1n, 1n, 1n, 4n])
})

it('keeps nothing of a decision that does not ask any more: another process may have made it', async () => {
  const { of, goesTo, pass, forget } = open()
  expect(await of('one')).toBe(1n)
  goesTo(2n)
  pass(HOUR)
  expect(await of('one')).toBe(2n)
  goesTo(3n)
  forget('one')
  expect(await of('one')).toBe(3n)
})
