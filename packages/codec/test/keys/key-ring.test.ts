import { createHmac } from 'node:crypto'
import { asWorkspaceId } from '@tidings/domain'
import { expect, test } from 'vitest'
import { SubjectErased } from '../../src/errors.ts'
import { createKeyRing } from '../../src/keys/key-ring.ts'
import type { EndedRow, KeyStore, SubjectRef } from '../../src/keys/key-store.ts'
import { parseMasterKey, wrap } from '../../src/keys/master-key.ts'
import { masterKeysOf } from '../../src/keys/master-keys.ts'
import { memoryKeyStore } from '../../src/keys/memory-key-store.ts'

const masterKey = parseMasterKey('11'.repeat(32))
const ws = asWorkspaceId('0192f0c1-0000-7000-8000-00000000000a')
const ann = 'contact:ann'

/** A memory store that records the subjects of each call. */
const watched = () => {
  const store = memoryKeyStore()
  const calls: string[] = []
  const note = (name: string, refs: readonly SubjectRef[]) => calls.push(`${name} ${refs.map(({ subject }) => subject).join(' ')}`)
  const watching: KeyStore = {
    ...store,
    load: (refs) => {
      note('load', refs)
      return store.load(refs)
    },
    ensure: (refs) => {
      note('ensure', refs)
      return store.ensure(refs)
    },
  }
  return { calls, store: watching }
}

const ringOver = (store: KeyStore, now?: () => number) =>
  createKeyRing({ store, masters: masterKeysOf(store, [masterKey]), ...(now ? { now } : {}) })

test('a subject that is withheld is asked for each time, so that a shredding elsewhere takes effect at once', async () => {
  const { calls, store } = watched()
  const ring = ringOver(store)
  await ring.keyFor(ws, ann)
  ring.withhold(ws, ann)
  expect(ring.cached(ws, ann)).toBeUndefined()
  await ring.keyFor(ws, ann)
  await ring.keyFor(ws, ann)
  expect(ring.cached(ws, ann)).toBeUndefined()
  expect(calls.filter((call) => call.startsWith('load'))).toHaveLength(3)
  await store.shred({ workspaceId: ws, subject: ann })
  await expect(ring.keyFor(ws, ann)).rejects.toThrow(SubjectErased)
})

test('a load that was under way when its subject was withheld caches nothing', async () => {
  const store = memoryKeyStore()
  await ringOver(store).keyFor(ws, ann)
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<void>()
  const slow = ringOver({
    ...store,
    load: async (refs) => {
      const found = await store.load(refs)
      asked.resolve()
      await answer.promise
      return found
    },
  })
  const loading = slow.load([{ workspaceId: ws, subject: ann }])
  await asked.promise
  slow.withhold(ws, ann)
  answer.resolve()
  expect((await loading)[0]).toHaveLength(1)
  expect(slow.cached(ws, ann)).toBeUndefined()
})

test('a subject keeps its key, another subject and another workspace have other keys', async () => {
  const ring = ringOver(memoryKeyStore())
  const { key } = await ring.keyFor(ws, ann)
  expect((await ring.keyFor(ws, ann)).key.equals(key)).toBe(true)
  expect((await ring.keyFor(ws, 'contact:bob')).key.equals(key)).toBe(false)
  expect((await ring.keyFor(asWorkspaceId('0192f0c1-0000-7000-8000-00000000000b'), ann)).key.equals(key)).toBe(false)
})

test('all that ask in one tick share one call, and later ones need none', async () => {
  const { calls, store } = watched()
  const ring = ringOver(store)
  await Promise.all([ring.newKeyFor(ws, 'a'), ring.newKeyFor(ws, 'b'), ring.newKeyFor(ws, 'c')])
  await Promise.all([ring.keyFor(ws, 'a'), ring.keyFor(ws, 'b')])
  await Promise.all([ring.load([{ workspaceId: ws, subject: 'x' }]), ring.load([{ workspaceId: ws, subject: 'y' }])])
  expect(calls).toEqual(['ensure a b c', 'load x y'])
})

test('a key comes out of memory as often as it is asked for, until it is shredded or too old', async () => {
  let now = 1
  const { calls, store } = watched()
  const ring = ringOver(store, () => now)
  const subjects = Array.from({ length: 20 }, (_, n) => `contact:${n}`)
  const made = await Promise.all(subjects.map((subject) => ring.newKeyFor(ws, subject)))
  const again = await Promise.all(subjects.map((subject) => ring.keyFor(ws, subject)))
  expect(again.map(({ key }, n) => key.equals(made[n]!.key))).toEqual(subjects.map(() => true))
  expect(calls).toHaveLength(1)
  await ring.shred(ws, 'contact:3')
  expect(ring.cached(ws, 'contact:3')).toBeUndefined()
  now += 5 * 60_000 - 1
  expect(ring.cached(ws, 'contact:4')).toHaveLength(1)
  now += 2
  expect(subjects.map((subject) => ring.cached(ws, subject))).toEqual(subjects.map(() => undefined))
})

test('what is known of an erasure counts, not the key that was known before', async () => {
  const store = memoryKeyStore()
  const ring = ringOver(store)
  await ring.keyFor(ws, ann)
  await store.shred({ workspaceId: ws, subject: ann })
  expect(await ring.load([{ workspaceId: ws, subject: ann }])).toEqual([[]])
  expect(ring.cached(ws, ann)).toEqual([])
  await expect(ring.keyFor(ws, ann)).rejects.toThrow(SubjectErased)
})

test('reading never makes a key', async () => {
  const ring = ringOver(memoryKeyStore())
  expect(await ring.load([{ workspaceId: ws, subject: ann }])).toEqual([null])
  expect(ring.cached(ws, ann)).toBeUndefined()
  await ring.keyFor(ws, ann)
  expect(ring.cached(ws, ann)).toHaveLength(1)
})

test('a shredded key is erased for readers and is never made again for writers', async () => {
  const store = memoryKeyStore()
  const ring = ringOver(store)
  await ring.keyFor(ws, ann)
  await ring.shred(ws, ann)
  expect(await ring.load([{ workspaceId: ws, subject: ann }])).toEqual([[]])
  await expect(ring.keyFor(ws, ann)).rejects.toThrow(SubjectErased)
  await expect(ringOver(store).keyFor(ws, ann)).rejects.toThrow('contact:ann was erased')
})

test('a subject without a key can be shredded before anything is written about it', async () => {
  const ring = ringOver(memoryKeyStore())
  await ring.shred(ws, ann)
  await expect(ring.keyFor(ws, ann)).rejects.toThrow(SubjectErased)
})

test('what another process shredded is forgotten within five minutes, or as soon as it is notified', async () => {
  let now = 1
  const store = memoryKeyStore()
  const ring = ringOver(store, () => now)
  await ring.keyFor(ws, ann)
  await ring.keyFor(ws, 'contact:bob')
  await store.shred({ workspaceId: ws, subject: ann })
  expect(ring.cached(ws, ann)).toHaveLength(1)
  ring.forget(ws, ann)
  expect(ring.cached(ws, ann)).toBeUndefined()
  now += 5 * 60_000 + 1
  expect(ring.cached(ws, 'contact:bob')).toBeUndefined()
})

test('the newest version seals, every version opens', async () => {
  const store = memoryKeyStore()
  const first = await ringOver(store).keyFor(ws, ann)
  const [stored] = await store.load([{ workspaceId: ws, subject: ann }])
  const second = { version: 2, wrapped: wrap(masterKey, Buffer.alloc(32, 7), `${ws}/${ann}/2`) }
  const ring = ringOver({ ...store, load: async () => [[...stored!, second]], ensure: async () => [[...stored!, second]] })
  expect((await ring.keyFor(ws, ann)).version).toBe(2)
  const keys = ring.cached(ws, ann)!
  expect(keys.map(({ version }) => version)).toEqual([2, 1])
  expect(keys[1]!.key.equals(first.key)).toBe(true)
})

test('a failure of the store is an error, never an erasure', async () => {
  const down = async () => {
    throw new Error('relation keys.subject_key does not exist')
  }
  const ring = ringOver({ ...memoryKeyStore(), load: down, ensure: down })
  await expect(ring.load([{ workspaceId: ws, subject: ann }])).rejects.toThrow('does not exist')
  await expect(ring.keyFor(ws, ann)).rejects.toThrow('does not exist')
  expect(ring.cached(ws, ann)).toBeUndefined()
})

test('a claim digest is stable, and differs by workspace, kind and value', async () => {
  const store = memoryKeyStore()
  const digest = await ringOver(store).claimDigest(ws, 'email', 'ann@example.com')
  expect(digest).toMatch(/^[A-Za-z0-9_-]{43}$/)
  expect(await ringOver(store).claimDigest(ws, 'email', 'ann@example.com')).toBe(digest)
  const others = [
    await ringOver(store).claimDigest(ws, 'phone', 'ann@example.com'),
    await ringOver(store).claimDigest(ws, 'email', 'bob@example.com'),
    await ringOver(store).claimDigest(asWorkspaceId('0192f0c1-0000-7000-8000-00000000000b'), 'email', 'ann@example.com'),
    await ringOver(memoryKeyStore()).claimDigest(ws, 'email', 'ann@example.com'),
  ]
  expect(new Set([digest, ...others]).size).toBe(5)
})

test('the ends of many workspaces are learned in one step; later ones drop the keys of the weeks that are new, at most ten', async () => {
  let now = 1
  const store = memoryKeyStore()
  const ended: EndedRow[] = Array.from({ length: 2_000 }, (_, n) => ({
    workspaceId: asWorkspaceId(`w-${n}`),
    kind: 'client',
    until: '2026-11-16',
  }))
  const ring = ringOver({ ...store, endedDetails: async () => ended }, () => now)
  let forgotten = 0
  ring.onForget(() => forgotten++)
  const week = (monday: string) => `period:client:${monday}`
  for (const monday of ['2026-08-31', '2026-11-09', '2026-11-16', '2026-11-23']) await ring.keyFor(asWorkspaceId('w-7'), week(monday))
  expect((await ring.endedDetails()).get('w-7')).toEqual({ client: '2026-11-16' })
  expect(forgotten).toBe(1)
  ended.push(
    { workspaceId: asWorkspaceId('w-7'), kind: 'client', until: '2026-11-23' },
    { workspaceId: asWorkspaceId('w-8'), kind: 'client', until: '2026-11-23' },
  )
  now += 60_000
  expect((await ring.endedDetails()).get('w-7')).toEqual({ client: '2026-11-23' })
  expect(forgotten).toBe(2)
  const isCached = (monday: string) => ring.cached(asWorkspaceId('w-7'), week(monday)) !== undefined
  expect(['2026-08-31', '2026-11-09', '2026-11-16', '2026-11-23'].map(isCached)).toEqual([true, true, false, true])
  ring.noteEnded({ workspaceId: asWorkspaceId('w-7'), kind: 'client', until: '2030-01-07' })
  expect(isCached('2026-11-23')).toBe(true)
  expect(forgotten).toBe(3)
})

test('a claim digest is the same for every spelling of an address, and for one of ASCII as it was before there were others', async () => {
  const ring = ringOver(memoryKeyStore())
  const before = createHmac('sha256', await ring.workspaceSecret(ws))
    .update('email:ann@xn--mnchen-3ya.de')
    .digest('base64url')
  for (const spelled of ['ann@xn--mnchen-3ya.de', 'ANN@München.de', 'ann@mu\u0308nchen。de'])
    expect(await ring.claimDigest(ws, 'email', spelled)).toBe(before)
  expect(await ring.claimDigest(ws, 'phone', 'ANN@München.de')).not.toBe(before)
})

test('an older claim digest is that of the address as it was written, where that is not its key', async () => {
  const ring = ringOver(memoryKeyStore())
  const older = createHmac('sha256', await ring.workspaceSecret(ws))
    .update('email:ann@münchen.de')
    .digest('base64url')
  for (const spelled of ['ann@münchen.de', 'ann@xn--mnchen-3ya.de'])
    expect(await ring.olderClaimDigests(ws, 'email', spelled)).toEqual([older])
  expect(await ring.olderClaimDigests(ws, 'email', 'ann@mu\u0308nchen.de')).toHaveLength(2)
  expect(await ring.olderClaimDigests(ws, 'email', 'ann@example.com')).toEqual([])
  expect(await ring.olderClaimDigests(ws, 'phone', 'ann@münchen.de')).toEqual([])
})
