import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createFairQueue, QueueFull } from '../src/fair-queue.ts'

/** A queue whose work ends when the test says so, and in which order it began. */
const queueOf = (options: Partial<Parameters<typeof createFairQueue>[0]> = {}) => {
  const clock = { ms: 0 }
  const runFairly = createFairQueue({ maxWaiting: 8, maxOfOne: 3, windowMs: 1_000, now: () => clock.ms, ...options })
  const began: string[] = []
  const ends: (() => void)[] = []
  const ask = (client: string): Promise<string> =>
    runFairly(client, async () => {
      began.push(client)
      await new Promise<void>((resolve) => ends.push(resolve))
      return 'done'
    }).catch((error: unknown) => (error instanceof QueueFull ? 'refused' : 'broken'))
  const endOne = async () => {
    await setImmediate()
    ends.shift()?.()
    await setImmediate()
  }
  return { ask, began, endOne, clock }
}

it('one works at a time; of equals the first is next', async () => {
  const { ask, began, endOne } = queueOf()
  const all = ['a', 'b', 'c'].map(ask)
  await setImmediate()
  expect(began).toEqual(['a'])
  for (let n = 0; n < 3; n++) await endOne()
  expect([began, await Promise.all(all)]).toEqual([
    ['a', 'b', 'c'],
    ['done', 'done', 'done'],
  ])
})

it('who had less is next, and what is long ago does not count', async () => {
  const { ask, began, endOne, clock } = queueOf()
  const all = ['a', 'a', 'b', 'a'].map(ask)
  for (let n = 0; n < 4; n++) await endOne()
  expect(began).toEqual(['a', 'b', 'a', 'a'])
  clock.ms += 1_001
  all.push(...['c', 'b', 'a'].map(ask))
  for (let n = 0; n < 3; n++) await endOne()
  expect(began.slice(4)).toEqual(['c', 'b', 'a'])
  await Promise.all(all)
})

it('twenty clients that ask without end keep out each other, and no newcomer', async () => {
  const { ask, began, endOne } = queueOf()
  const flood: Promise<string>[] = []
  const floodOnce = () => {
    for (let n = 0; n < 20; n++) flood.push(ask(`flood-${n}`))
  }
  for (let round = 0; round < 40; round++) {
    floodOnce()
    await endOne()
  }
  const visitors = [ask('visitor'), ask('other visitor')]
  for (let round = 0; round < 3; round++) {
    floodOnce()
    await endOne()
  }
  expect(began.slice(-3)).toEqual(expect.arrayContaining(['visitor', 'other visitor']))
  for (let n = 0; n < 20; n++) await endOne()
  expect(await Promise.all(visitors)).toEqual(['done', 'done'])
  const ends = await Promise.all(flood)
  expect(ends.filter((end) => end === 'refused').length).toBeGreaterThan(ends.length / 2)
})

/** Networks that ask under ever new addresses. */
const floods: readonly (readonly [string, (n: number) => string])[] = [
  ['new /64s of one /48', (n) => `2001:db8:1:${n.toString(16)}::/64`],
  ['the addresses of one /24', (n) => `203.0.113.${n % 256}`],
]

it.each(floods)('a flood from %s pushes out no client who waits, and gives way to who comes from elsewhere', async (_, addressOf) => {
  const { ask, began, endOne, clock } = queueOf()
  const flood: Promise<string>[] = []
  let asked = 0
  const floodOnce = () => {
    for (let n = 0; n < 12; n++) flood.push(ask(addressOf(asked++)))
  }
  floodOnce()
  const first = ask('198.51.100.7')
  for (let round = 0; round < 2; round++) {
    floodOnce()
    await endOne()
  }
  expect(began).toContain('198.51.100.7')
  for (let round = 0; round < 30; round++) {
    clock.ms += 1
    floodOnce()
    await endOne()
  }
  // The same person, who had mistyped the password.
  const again = ask('198.51.100.7')
  for (let round = 0; round < 3; round++) {
    floodOnce()
    await endOne()
  }
  expect(began.filter((client) => client === '198.51.100.7')).toHaveLength(2)
  for (let n = 0; n < 20; n++) await endOne()
  expect(await Promise.all([first, again])).toEqual(['done', 'done'])
  const ends = await Promise.all(flood)
  expect(ends.filter((end) => end === 'refused').length).toBeGreaterThan(ends.length / 2)
})

it('of equals none takes the place of another', async () => {
  const { ask, endOne } = queueOf()
  const all = Array.from({ length: 12 }, (_, n) => ask(`10.${n}.0.1`))
  for (let n = 0; n < 12; n++) await endOne()
  expect(await Promise.all(all)).toEqual([...Array.from({ length: 9 }, () => 'done'), 'refused', 'refused', 'refused'])
})

it('one client waits three times at most, though there is room', async () => {
  const { ask, endOne } = queueOf()
  const all = Array.from({ length: 10 }, () => ask('a'))
  for (let n = 0; n < 10; n++) await endOne()
  expect((await Promise.all(all)).filter((end) => end === 'done')).toHaveLength(4)
})

it('work that fails makes room for the next', async () => {
  const runFairly = createFairQueue({ maxWaiting: 1, maxOfOne: 1, windowMs: 1_000 })
  await expect(runFairly('a', () => Promise.reject(new Error('wrong')))).rejects.toThrow('wrong')
  expect(await runFairly('a', async () => 'done')).toBe('done')
})
