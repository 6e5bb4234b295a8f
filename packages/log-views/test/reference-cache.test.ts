import { setImmediate } from 'node:timers/promises'
import { asContactId } from '@tidings/domain'
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

  it('loads all keys that are asked for at once with one query', async () => {
    const { cache, loads } = await world()
    const answers = await Promise.all(['a', 'b', 'a', 'c'].map((key) => cache.get(key)))
    expect(answers).toEqual([null, null, null, null])
    expect(loads).toEqual([['a', 'b', 'c']])
  })

  it('never answers with a query that was running already', async () => {
    const { cache, table, source } = await world()
    const gate = Promise.withResolvers<void>()
    source.answer = (rows) => gate.promise.then(() => rows)
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
    const { cache, table, source } = await world()
    const gate = Promise.withResolvers<void>()
    source.answer = (rows) => gate.promise.then(() => rows)
    table.set(ada.email, ada)
    const first = cache.get(ada.email)
    await setImmediate()
    table.set(ada.email, { ...ada, version: 2 })
    Object.assign(source, { position: 11, answer: (rows: never) => Promise.resolve(rows) })
    expect(await cache.get(ada.email)).toMatchObject({ version: 2 })
    gate.resolve()
    expect(await first).toMatchObject({ version: 1 })
    expect(cache.get(ada.email)).toMatchObject({ version: 2 })
  })

  it('removes a row when an event names it', async () => {
    const { cache, table, deliver, source, loads } = await world()
    table.set(ada.email, ada)
    await cache.get(ada.email)
    await deliver([created(asContactId('1'), ada.email, 11)], 11)
    source.position = 11
    await cache.get(ada.email)
    expect(loads).toHaveLength(2)
  })

  it('removes a row when an event names one of its tags', async () => {
    const { cache, table, deliver } = await world()
    table.set(ada.email, ada)
    await cache.get(ada.email)
    await deliver([moved(asContactId('1'), 'countess@x.de', 11)], 11)
    table.delete(ada.email)
    expect(await cache.get(ada.email)).toBeNull()
  })

  it('does not cache a row whose projection is behind a change that is known already', async () => {
    const { cache, table, deliver, source, loads } = await world()
    await deliver([created(asContactId('1'), ada.email, 11)], 11)
    table.set(ada.email, ada)
    source.position = 10
    await cache.get(ada.email)
    source.position = 11
    await cache.get(ada.email)
    expect(loads).toHaveLength(2)
    expect(cache.get(ada.email)).toEqual(ada)
  })

  it('does not cache a row that changed while it was being read', async () => {
    const { cache, table, deliver, source, loads } = await world()
    const gate = Promise.withResolvers<void>()
    source.answer = (rows) => gate.promise.then(() => rows)
    table.set(ada.email, ada)
    const answer = cache.get(ada.email)
    await setImmediate()
    await deliver([moved(asContactId('1'), 'countess@x.de', 11)], 11)
    gate.resolve()
    await answer
    await cache.get(ada.email)
    expect(loads).toHaveLength(2)
  })

  it('caches no row older than the start of its follower', async () => {
    const { cache, table, source, loads } = await world()
    source.position = 9
    table.set(ada.email, ada)
    await cache.get(ada.email)
    await cache.get(ada.email)
    expect(loads).toHaveLength(2)
  })

  it('counts as changed what it no longer remembers', async () => {
    const { cache, table, deliver, source, loads } = await world(1)
    await deliver(
      [1, 2, 3].map((n) => created(asContactId(`${n}`), `${n}@x.de`, 10 + n)),
      13,
    )
    table.set(ada.email, ada)
    source.position = 10
    await cache.get(ada.email)
    await cache.get(ada.email)
    expect(loads).toHaveLength(2)
    source.position = 13
    await cache.get(ada.email)
    expect(cache.get(ada.email)).toEqual(ada)
  })

  it('is bypassed while the log was not received for a second, and used again with the log', async () => {
    const { cache, table, loads, deliver, pass } = await world()
    table.set(ada.email, ada)
    await cache.get(ada.email)
    pass(1_000)
    await expect(cache.get(ada.email)).resolves.toEqual(ada)
    expect(loads).toHaveLength(2)
    expect(cache.counts()).toMatchObject({ bypassed: 1 })
    await deliver([], 12, false)
    expect(cache.get(ada.email)).toBeInstanceOf(Promise)
    await deliver([], 13)
    expect(cache.get(ada.email)).toEqual(ada)
  })

  it('never caches that there is no row', async () => {
    const { cache, table, loads } = await world()
    expect(await cache.get(ada.email)).toBeNull()
    table.set(ada.email, ada)
    expect(await cache.get(ada.email)).toEqual(ada)
    expect(loads).toHaveLength(2)
  })

  it('holds no more rows than it may', async () => {
    const { cache, table } = await world(10)
    for (let n = 0; n < 50; n++) {
      table.set(`${n}`, { ...ada, contactId: asContactId(`${n}`) })
      await cache.get(`${n}`)
    }
    expect(cache.counts().size).toBe(10)
  })

  it('rejects every caller of a failed query, and loads again later', async () => {
    const { cache, source, table } = await world()
    source.answer = () => Promise.reject(new Error('no database'))
    const failed = await Promise.allSettled([cache.get('a'), cache.get('b')])
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    source.answer = (rows) => Promise.resolve(rows)
    table.set('a', ada)
    expect(await cache.get('a')).toEqual(ada)
  })
})
