import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { ada, created, moved, world } from './reference-cache.testing.ts'

describe('a reference cache', () => {
  it('asks once, and then answers without a promise', async () => {
    const { cache, table, loads } = await world()
    table.set(ada.email, ada)
    await expect(cache.get(ada.email)).resolves.toEqual(ada)
    expect(cache.get(ada.email)).toEqual(ada)
    expect(loads).toEqual([[ada.email]])
    expect(cache.counts()).toEqual({ hits: 1, misses: 1, bypassed: 0, size: 1 })
  })

  it('asks for everything that is wanted in one turn with one query', async () => {
    const { cache, loads } = await world()
    const answers = await Promise.all(['a', 'b', 'a', 'c'].map((key) => cache.get(key)))
    expect(answers).toEqual([null, null, null, null])
    expect(loads).toEqual([['a', 'b', 'c']])
  })

  it('never answers a question with a query that was on its way already', async () => {
    const { cache, table, stand } = await world()
    const gate = Promise.withResolvers<void>()
    stand.answer = (rows) => gate.promise.then(() => rows)
    table.set(ada.email, ada)
    const first = cache.get(ada.email)
    await setImmediate()
    table.set(ada.email, { ...ada, version: 2 })
    const second = cache.get(ada.email)
    await setImmediate()
    gate.resolve()
    expect(await first).toMatchObject({ version: 1 })
    expect(await second).toMatchObject({ version: 2 })
  })

  it('keeps the newer of two rows, whichever query is answered last', async () => {
    const { cache, table, stand } = await world()
    const gate = Promise.withResolvers<void>()
    stand.answer = (rows) => gate.promise.then(() => rows)
    table.set(ada.email, ada)
    const first = cache.get(ada.email)
    await setImmediate()
    table.set(ada.email, { ...ada, version: 2 })
    Object.assign(stand, { position: 11, answer: (rows: never) => Promise.resolve(rows) })
    expect(await cache.get(ada.email)).toMatchObject({ version: 2 })
    gate.resolve()
    expect(await first).toMatchObject({ version: 1 })
    expect(cache.get(ada.email)).toMatchObject({ version: 2 })
  })

  it('forgets a row when an event names it', async () => {
    const { cache, table, hear, stand, loads } = await world()
    table.set(ada.email, ada)
    await cache.get(ada.email)
    await hear([created('1', ada.email, 11)], 11)
    stand.position = 11
    await cache.get(ada.email)
    expect(loads).toHaveLength(2)
  })

  it('forgets a row when an event names one of its tags', async () => {
    const { cache, table, hear } = await world()
    table.set(ada.email, ada)
    await cache.get(ada.email)
    await hear([moved('1', 'countess@x.de', 11)], 11)
    table.delete(ada.email)
    expect(await cache.get(ada.email)).toBeNull()
  })

  it('does not keep a row whose projection had not seen a change that is known already', async () => {
    const { cache, table, hear, stand, loads } = await world()
    await hear([created('1', ada.email, 11)], 11)
    table.set(ada.email, ada)
    stand.position = 10
    await cache.get(ada.email)
    stand.position = 11
    await cache.get(ada.email)
    expect(loads).toHaveLength(2)
    expect(cache.get(ada.email)).toEqual(ada)
  })

  it('does not keep a row that changed while it was being read', async () => {
    const { cache, table, hear, stand, loads } = await world()
    const gate = Promise.withResolvers<void>()
    stand.answer = (rows) => gate.promise.then(() => rows)
    table.set(ada.email, ada)
    const answer = cache.get(ada.email)
    await setImmediate()
    await hear([moved('1', 'countess@x.de', 11)], 11)
    gate.resolve()
    await answer
    await cache.get(ada.email)
    expect(loads).toHaveLength(2)
  })

  it('keeps nothing older than what its follower can vouch for', async () => {
    const { cache, table, stand, loads } = await world()
    stand.position = 9
    table.set(ada.email, ada)
    await cache.get(ada.email)
    await cache.get(ada.email)
    expect(loads).toHaveLength(2)
  })

  it('counts as changed what it had to forget about', async () => {
    const { cache, table, hear, stand, loads } = await world(1)
    await hear(
      [1, 2, 3].map((n) => created(`${n}`, `${n}@x.de`, 10 + n)),
      13,
    )
    table.set(ada.email, ada)
    stand.position = 10
    await cache.get(ada.email)
    await cache.get(ada.email)
    expect(loads).toHaveLength(2)
    stand.position = 13
    await cache.get(ada.email)
    expect(cache.get(ada.email)).toEqual(ada)
  })

  it('goes past itself while the log was not heard for a second, and comes back with the log', async () => {
    const { cache, table, loads, hear, pass } = await world()
    table.set(ada.email, ada)
    await cache.get(ada.email)
    pass(1_000)
    await expect(cache.get(ada.email)).resolves.toEqual(ada)
    expect(loads).toHaveLength(2)
    expect(cache.counts()).toMatchObject({ bypassed: 1 })
    await hear([], 12, false)
    expect(cache.get(ada.email)).toBeInstanceOf(Promise)
    await hear([], 13)
    expect(cache.get(ada.email)).toEqual(ada)
  })

  it('never keeps that there is no row', async () => {
    const { cache, table, loads } = await world()
    expect(await cache.get(ada.email)).toBeNull()
    table.set(ada.email, ada)
    expect(await cache.get(ada.email)).toEqual(ada)
    expect(loads).toHaveLength(2)
  })

  it('holds no more rows than it may', async () => {
    const { cache, table } = await world(10)
    for (let n = 0; n < 50; n++) {
      table.set(`${n}`, { ...ada, contactId: `${n}` })
      await cache.get(`${n}`)
    }
    expect(cache.counts().size).toBe(10)
  })

  it('tells a failed query to everybody who waited for it, and asks again later', async () => {
    const { cache, stand, table } = await world()
    stand.answer = () => Promise.reject(new Error('no database'))
    const failed = await Promise.allSettled([cache.get('a'), cache.get('b')])
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    stand.answer = (rows) => Promise.resolve(rows)
    table.set('a', ada)
    expect(await cache.get('a')).toEqual(ada)
  })
})
