import { afterAll, beforeAll, expect, it } from 'vitest'
import { dataOf } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { listsOf } from './support/lists.ts'
import { profilesOf } from './support/profiles.ts'
import { startWorld, type World } from './support/world.ts'

let world: World
let acme: Client
let lists: ReturnType<typeof listsOf>

beforeAll(async () => {
  world = await startWorld()
  acme = await world.workspace(
    'acme',
    'lists: [{ name: same, type: static }, { name: apart, type: static }, { name: mixed, type: static }]',
  )
  lists = listsOf(acme)
})
afterAll(() => world.stop())

const people = (from: number, length: number) => Array.from({ length }, (_, n) => `p${from + n}@crowd.example`)
const all = async (id: string) => profilesOf(acme).list(`?segmentId=${id}&limit=200`)
const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0)

it('requests that add the same new people at once add each of them once, and every one counts all', async () => {
  const id = lists.id('same')
  const answers = await Promise.all(Array.from({ length: 8 }, () => lists.add(id, { emails: people(0, 60) })))
  expect(sum(answers.map(({ added }) => added))).toBe(60)
  expect(answers.map(({ count }) => count)).toEqual(answers.map(() => 60))
  expect((await profilesOf(acme).list('?search=@crowd.example')).total).toBe(60)

  const gone = await Promise.all(Array.from({ length: 8 }, () => lists.remove(id, { emails: people(0, 60) })))
  expect(sum(gone.map(({ removed }) => removed))).toBe(60)
  expect(gone.map(({ count }) => count)).toEqual(gone.map(() => 0))
})

it('requests that add different people each count at least their own, and the last of them all', async () => {
  const id = lists.id('apart')
  const asked = await Promise.all(
    Array.from({ length: 12 }, (_, n) => acme.request('POST', `/public/lists/${id}/members`, { emails: people(n * 10, 10) })),
  )
  const answers = asked.map((answer) => dataOf<{ added: number; count: number }>(answer, 200))
  expect(answers.map(({ added }) => added)).toEqual(answers.map(() => 10))
  const counts = answers.map(({ count }) => count)
  expect(Math.min(...counts)).toBeGreaterThanOrEqual(10)
  // One that says that reads are behind counts its own and what is shown.
  const isPending = asked.some(({ headers }) => headers.get('x-consistency') === 'pending')
  expect(Math.max(...counts)).toSatisfy((most: number) => most === 120 || (isPending && most < 120))
  await eventually(
    () => lists.add(id, { emails: people(0, 10) }),
    ({ added, count }) => added === 0 && count === 120,
  )
  expect((await all(id)).total).toBe(120)
})

it('additions and removals that run beside each other add up to who is there in the end', async () => {
  const id = lists.id('mixed')
  await lists.add(id, { emails: people(0, 40) })
  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_, n) => {
      const emails = people((n * 7) % 40, 30)
      if (n % 2 === 0) return (await lists.add(id, { emails })).added
      return -(await lists.remove(id, { emails })).removed
    }),
  )
  const { items, total } = await all(id)
  expect([items.length, total]).toEqual([40 + sum(answers), 40 + sum(answers)])
  const { items: shown } = await lists.page()
  expect(shown.find(({ name }) => name === 'mixed')?.profiles).toBe(total)
})
