import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Importing } from '../src/index.ts'
import { PROFILES, world } from './world.testing.ts'

let database: TestDatabase
let folder: string

beforeAll(async () => {
  ;[database, folder] = await Promise.all([testDatabase(), mkdtemp(join(tmpdir(), 'repeated-import-'))])
  await database.pool.query(PROFILES)
})
afterAll(async () => {
  await database?.drop()
  await rm(folder, { recursive: true, force: true })
})

const place = () => ({ pool: database.pool, folder })

class Killed extends Error {}

const FILES = [
  {
    name: 'an address goes to another',
    lines: ['email,phone,firstName', 'ann@x.test,,Ann', 'ann@x.test,0501111111,', 'bob@x.test,0501111111,Bob', ''],
  },
  { name: 'a later line changes a name', lines: ['email,phone,firstName', 'ann@x.test,,Ann', 'ann@x.test,,Anna', ''] },
  {
    name: 'a phone stays',
    lines: ['email,phone,firstName', 'ann@x.test,0501111111,Ann', 'bob@x.test,0501111111,Bob', ',0501111111,Cid', ''],
  },
  {
    name: 'address passes on',
    lines: ['email,phone,firstName', 'ann@x.test,0501111111,Ann', 'bob@x.test,0501111111,Bob', 'ann@x.test,0502222222,Second', ''],
  },
]

const CASES = FILES.flatMap((file) => ['fresh', 'behind'].map((reads) => ({ ...file, reads })))

/** The import dies at the n-th note of how far it is. Noted or not is the same to it. */
const dyingAt = (n: number): Importing['pool'] => {
  let notes = 0
  const query = (...args: readonly unknown[]) => {
    if (String(args[0]).startsWith('update ops.people_import') && notes++ === n) throw new Killed()
    return Reflect.apply(database.pool.query, database.pool, args)
  }
  return new Proxy(database.pool, { get: (target, key) => (key === 'query' ? query : Reflect.get(target, key).bind(target)) })
}

it.each(CASES)('$name: killed at each place, with reads that are $reads, an import ends as one that lives', async ({ lines, reads }) => {
  const straight = world(place())
  const text = lines.join('\n')
  const counts = await straight.runs(text)
  let isDead = true
  for (let n = 0; isDead; n++) {
    const killed = world(place())
    isDead = await killed.runs(text, { pool: dyingAt(n) }).then(
      () => false,
      (error) => error instanceof Killed || Promise.reject(error),
    )
    if (!isDead) break
    if (reads === 'fresh') await killed.show()
    const again = await killed.runs(text)
    expect(await killed.named()).toEqual(await straight.named())
    expect(again).toEqual(counts)
  }
})

it('leaves what others have changed of its people since it was killed', async () => {
  const { runs, named, show, change } = world(place())
  const text = 'email,firstName\nann@x.test,Ann\n'
  await expect(runs(text, { pool: dyingAt(0) })).rejects.toThrow(Killed)
  await show()
  await change({ details: { firstName: 'Anna' } })
  expect(await runs(text)).toMatchObject({ read: 1, created: 1, updated: 0, unchanged: 0 })
  expect(await named()).toMatchObject([{ email: 'ann@x.test', firstName: 'Anna' }])
})
