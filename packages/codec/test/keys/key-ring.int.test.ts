import { asWorkspaceId } from '@tidings/domain'
import { Unavailable } from '@tidings/event-store'
import { patientPool, type TestDatabase, testDatabase } from '@tidings/testing'
import type { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SubjectErased, WrongMasterKey } from '../../src/errors.ts'
import { uuidv7 } from '../../src/ids.ts'
import { createKeyRing, type KeyRing } from '../../src/keys/key-ring.ts'
import { parseMasterKey } from '../../src/keys/master-key.ts'
import { masterKeysOf } from '../../src/keys/master-keys.ts'
import { openKeyRing, postgresKeyStore } from '../../src/keys/postgres-key-store.ts'

const masterKey = '22'.repeat(32)
let db: TestDatabase
const pools: Pool[] = []

/** A key ring over connections of its own, as another process would have it. */
const newProcess = async (url = db.url): Promise<KeyRing> => {
  const pool = patientPool({ url, max: 4, name: 'keys-test' })
  pools.push(pool)
  return openKeyRing({ pool, masterKey })
}

beforeAll(async () => {
  db = await testDatabase()
})

afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()))
  await db.drop()
})

test('processes that create the keys of the same subjects at once all get the same keys', async () => {
  const ws = asWorkspaceId(uuidv7())
  const rings = await Promise.all([newProcess(), newProcess(), newProcess(), newProcess()])
  const subjects = Array.from({ length: 300 }, (_, n) => `contact:${n}`)
  // Each process asks in another order: sorted inserts must not deadlock.
  const shuffled = rings.map((_, n) => (n % 2 ? subjects : [...subjects].reverse()))
  await Promise.all(rings.flatMap((ring, n) => shuffled[n]!.map((subject) => ring.keyFor(ws, subject))))
  for (const subject of subjects) {
    const keys = await Promise.all(rings.map((ring) => ring.keyFor(ws, subject)))
    for (const { key } of keys) expect(key.equals(keys[0]!.key)).toBe(true)
  }
  const { rows } = await db.pool.query('select count(*)::int n from keys.subject_key where workspace_id = $1', [ws])
  expect(rows).toEqual([{ n: 300 }])
})

test('a key is durable when it is given: a new process reads the same', async () => {
  const ws = asWorkspaceId(uuidv7())
  const { key } = await (await newProcess()).keyFor(ws, 'contact:ann')
  const [keys] = await (await newProcess()).load([{ workspaceId: ws, subject: 'contact:ann' }])
  expect(keys![0]!.key.equals(key)).toBe(true)
})

test('the stored key is not the key', async () => {
  const ws = asWorkspaceId(uuidv7())
  const { key } = await (await newProcess()).keyFor(ws, 'contact:ann')
  const { rows } = await db.pool.query<{ wrapped: Buffer }>('select wrapped from keys.subject_key where workspace_id = $1', [ws])
  expect(rows[0]!.wrapped.includes(key.export())).toBe(false)
})

test('a key that is shredded while others create it stays shredded', async () => {
  const ws = asWorkspaceId(uuidv7())
  const [writer, eraser, late] = await Promise.all([newProcess(), newProcess(), newProcess()])
  await Promise.allSettled([writer!.keyFor(ws, 'contact:ann'), eraser!.shred(ws, 'contact:ann'), late!.keyFor(ws, 'contact:ann')])
  await expect((await newProcess()).keyFor(ws, 'contact:ann')).rejects.toThrow(SubjectErased)
  expect(await (await newProcess()).load([{ workspaceId: ws, subject: 'contact:ann' }])).toEqual([[]])
  const { rows } = await db.pool.query('select wrapped, shredded_at is not null shredded from keys.subject_key where workspace_id = $1', [
    ws,
  ])
  expect(rows).toEqual([{ wrapped: null, shredded: true }])
})

test('shredding destroys every version of the key', async () => {
  const ws = asWorkspaceId(uuidv7())
  const ring = await newProcess()
  await ring.keyFor(ws, 'contact:ann')
  const version2 = `insert into keys.subject_key (workspace_id, subject, version, wrapped) values ($1, 'contact:ann', 2, '\\x00')`
  await db.pool.query(version2, [ws])
  await ring.shred(ws, 'contact:ann')
  const { rows } = await db.pool.query('select count(wrapped)::int n from keys.subject_key where workspace_id = $1', [ws])
  expect(rows).toEqual([{ n: 0 }])
})

test('processes that meet a workspace for the first time at once agree on its secret', async () => {
  const ws = asWorkspaceId(uuidv7())
  const rings = await Promise.all([newProcess(), newProcess(), newProcess(), newProcess()])
  const digests = await Promise.all(rings.map((ring) => ring.claimDigest(ws, 'email', 'ann@example.com')))
  expect(new Set(digests).size).toBe(1)
})

test('a start with another master key is refused, in one sentence that does not show it', async () => {
  await newProcess()
  const other = '33'.repeat(32)
  const refusal = openKeyRing({ pool: db.pool, masterKey: other })
  await expect(refusal).rejects.toThrow(WrongMasterKey)
  await expect(refusal).rejects.toThrow(/^TIDINGS_MASTER_KEY is not the key [^.]*\.$/)
  await expect(refusal).rejects.not.toThrow(other)
})

test('a new master key opens what its predecessor wrapped', async () => {
  const own = await testDatabase()
  const ws = asWorkspaceId(uuidv7())
  const before = await openKeyRing({ pool: own.pool, masterKey })
  const { key } = await before.keyFor(ws, 'contact:ann')
  const after = await openKeyRing({ pool: own.pool, masterKey: '44'.repeat(32), previousMasterKeys: [masterKey] })
  expect((await after.keyFor(ws, 'contact:ann')).key.equals(key)).toBe(true)
  await own.drop()
})

describe('while the database does not answer', () => {
  test('a read is an error that a repetition can help, and no erasure', async () => {
    const pool = patientPool({ url: 'postgres://unknown@127.0.0.1:1/none', max: 1, name: 'keys-test' })
    pools.push(pool)
    const store = postgresKeyStore(pool)
    const ring = createKeyRing({ store, masters: masterKeysOf(store, [parseMasterKey(masterKey)]) })
    const ws = asWorkspaceId(uuidv7())
    await expect(ring.load([{ workspaceId: ws, subject: 'contact:ann' }])).rejects.toThrow(Unavailable)
    await expect(ring.keyFor(ws, 'contact:ann')).rejects.toThrow('subject keys: the database does not answer')
    await expect(ring.claimDigest(ws, 'email', 'a@b.example')).rejects.toThrow(Unavailable)
    expect(ring.cached(ws, 'contact:ann')).toBeUndefined()
  })
})
