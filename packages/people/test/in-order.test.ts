import { expect, it } from 'vitest'
import { inOrder } from '../src/write/in-order.ts'

/** Works on each item for as many rounds of the event loop as it says; gives when each began and ended. */
const worked = async (
  items: readonly Readonly<{ item: string; keys: readonly string[]; rounds: number }>[],
  atOnce: number,
): Promise<readonly string[]> => {
  const seen: string[] = []
  const roundsOf = new Map(items.map(({ item, rounds }) => [item, rounds]))
  const work = async (item: string) => {
    seen.push(`${item} begins`)
    for (let round = 0; round < (roundsOf.get(item) ?? 0); round++) await new Promise(setImmediate)
    seen.push(`${item} ends`)
  }
  await inOrder(items, { atOnce, work, between: async () => void seen.push('noted') })
  return seen
}

it('works on lines about one person one after the other, though only a third line connects them', async () => {
  const seen = await worked(
    [
      { item: 'ann by email and phone', keys: ['email ann', 'phone 1'], rounds: 5 },
      { item: 'ann by email', keys: ['email ann'], rounds: 5 },
      { item: 'ann by phone', keys: ['email cid', 'phone 1'], rounds: 0 },
    ],
    3,
  )
  const [first, second, third] = ['ann by email and phone', 'ann by email', 'ann by phone'].map((item) => [
    `${item} begins`,
    `${item} ends`,
  ])
  expect(seen).toEqual([first, 'noted', second, 'noted', third].flat())
})

it('notes all that was begun before it works on the next of a group', async () => {
  const seen = await worked(
    [
      { item: 'ann', keys: ['email ann'], rounds: 1 },
      { item: 'bob', keys: ['email bob'], rounds: 5 },
      { item: 'ann again', keys: ['email ann'], rounds: 0 },
    ],
    3,
  )
  expect(seen.slice(-4)).toEqual(['bob ends', 'noted', 'ann again begins', 'ann again ends'])
})

it('works on others at the same time, at most so many', async () => {
  const items = ['a', 'b', 'c'].map((item) => ({ item, keys: [item], rounds: 3 }))
  expect((await worked(items, 3)).slice(0, 3)).toEqual(['a begins', 'b begins', 'c begins'])
  expect((await worked(items, 2)).slice(0, 3)).toEqual(['a begins', 'b begins', 'a ends'])
})

it('has each item once, in groups of any shape', async () => {
  const items = Array.from({ length: 400 }, (_, n) => ({
    item: `${n}`,
    keys: [`k${n % 7}`, `k${(n * 31) % 100}`, `own ${n}`],
    rounds: n % 3,
  }))
  const ended = (await worked(items, 16)).filter((one) => one.endsWith('ends'))
  expect(new Set(ended).size).toBe(400)
  expect(ended).toHaveLength(400)
})

it('ends with the failure of one', async () => {
  const failing = inOrder([{ item: 1, keys: ['a'] }], {
    atOnce: 4,
    work: () => Promise.reject(new Error('no log')),
    between: async () => undefined,
  })
  await expect(failing).rejects.toThrow('no log')
})
