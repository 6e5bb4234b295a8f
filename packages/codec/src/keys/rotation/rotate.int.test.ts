import { createPool } from '@tidings/postgres'
import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import type { Pool } from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SubjectErased, WrongMasterKey } from '../../errors.ts'
import { uuidv7 } from '../../ids.ts'
import { type Holder, holdMasterKeys } from '../holders.ts'
import { createKeyRing } from '../key-ring.ts'
import { masterKeyIdOf, parseMasterKey, wrap } from '../master-key.ts'
import type { MasterKeys } from '../master-keys.ts'
import { openKeyRing } from '../open-key-ring.ts'
import { openMasterKeys } from '../open-master-keys.ts'
import { postgresKeyStore } from '../postgres-key-store.ts'
import { type Rotated, type RotateOptions, rotateMasterKey } from './rotate.ts'
import { isBeingRotated } from './rotation-state.ts'

const OLD = '22'.repeat(32)
const OLD_ID = parseMasterKey(OLD).id
const ws = uuidv7()

let db: TestDatabase
let pools: Pool[]
let holders: Holder[]
beforeEach(async () => {
  db = await testDatabase()
  pools = []
  holders = []
})
afterEach(async () => {
  await Promise.all(holders.map((holder) => holder.stop()))
  await Promise.all(pools.map((pool) => pool.end()))
  await db.drop()
})

const newPool = (): Pool => {
  const pool = createPool({ url: db.url, max: 4, name: 'rotation-test' })
  pools.push(pool)
  return pool
}

/** A process as it runs: it says that it holds keys, and learns. `asleep`: it did neither since it was started. */
const newProcess = async (masterKey = OLD, asleep = false) => {
  const pool = newPool()
  const store = postgresKeyStore(pool)
  const masters = await openMasterKeys(store, { masterKey })
  if (!asleep) holders.push(await holdMasterKeys({ pool, masters }))
  return { masters, ring: createKeyRing({ store, masters }) }
}

const rotate = async ({ onDone, ...changes }: Partial<RotateOptions> = {}): Promise<Rotated> => {
  let rotated: Rotated | undefined
  await rotateMasterKey({
    pool: newPool(),
    given: { masterKey: OLD },
    onKey: () => undefined,
    onProgress: () => undefined,
    keep: async () => undefined,
    onDone: async (done) => {
      rotated = done
      await onDone?.(done)
    },
    ...changes,
  })
  if (rotated === undefined) throw new Error('it did not say what it had done')
  return rotated
}

const subjects = (count: number) => Array.from({ length: count }, (_, n) => `contact:${n}`)
const idsInUse = () => postgresKeyStore(db.pool).masterKeysInUse()
const linkKey = ({ derivers }: MasterKeys, n = 0) => derivers()[n]?.('link token tag v1').export().toString('hex')
const stop = (): never => {
  throw new Error('killed')
}

test('every key opens before, meanwhile and afterwards, for processes that run and for one that has only the new key', async () => {
  const running = await newProcess()
  const keys = await Promise.all(subjects(1_200).map((subject) => running.ring.newKeyFor(ws, subject)))
  const digest = await running.ring.claimDigest(ws, 'email', 'ann@example.com')
  let made: Promise<unknown> | undefined
  const { key, rewrapped } = await rotate({
    onProgress: () => {
      made ??= running.ring.newKeyFor(ws, 'contact:meanwhile')
    },
  })
  await made
  expect(rewrapped).toBe(1_200 + 1 + 0)
  const id = parseMasterKey(key).id
  expect(await idsInUse()).toEqual([id])
  for (const { ring } of [await newProcess(key), running]) {
    const loaded = await ring.load(subjects(1_200).map((subject) => ({ workspaceId: ws, subject })))
    expect(loaded.map((versions, n) => versions?.[0]?.key.equals(keys[n]!.key))).toEqual(keys.map(() => true))
    expect(await ring.claimDigest(ws, 'email', 'ann@example.com')).toBe(digest)
    await ring.keyFor(ws, `contact:${uuidv7()}`)
  }
  expect(await idsInUse()).toEqual([id])
})

test('the old key is refused afterwards, also with a copy of the database in hand', async () => {
  await newProcess()
  const { key } = await rotate()
  await expect(openKeyRing({ pool: db.pool, masterKey: OLD })).rejects.toThrow(WrongMasterKey)
  const { rows } = await db.pool.query<{ row: string }>('select m::text as row from keys.master_key m')
  expect(rows.map(({ row }) => row.split(',')[0])).toEqual([`(${parseMasterKey(key).id}`])
  expect(await isBeingRotated(postgresKeyStore(db.pool))).toBe(false)
})

test('links that were made with the old key are told apart and opened after two rotations, and new ones are made with the newest', async () => {
  const running = await newProcess()
  const before = linkKey(running.masters)
  const first = await rotate()
  const second = await rotate({ given: { masterKey: first.key } })
  const { masters } = await newProcess(second.key)
  const known = masters.derivers().map((_, n) => linkKey(masters, n))
  expect(known).toHaveLength(3)
  expect(known).toContain(before)
  expect(known[0]).toBe(parseMasterKey(second.key).derive('link token tag v1').export().toString('hex'))
  await until(() => expect(linkKey(running.masters)).toBe(known[0]))
})

test('links are made with the old key, which every process has, for as long as the rotation lasts', async () => {
  const running = await newProcess()
  const before = linkKey(running.masters)
  const during: (string | undefined)[] = []
  await rotate({
    onDone: async () => {
      await until(() => expect(running.masters.current().id).not.toBe(OLD_ID))
      during.push(linkKey(running.masters))
    },
  })
  expect(during).toEqual([before])
})

describe('killed', () => {
  test.each<[string, Partial<RotateOptions>]>([
    ['when the key was made', { onKey: stop }],
    ['before the first key', { onProgress: stop }],
    ['halfway', { onProgress: (done) => (done >= 500 ? stop() : undefined) }],
    ['before the key has its place', { keep: async () => stop() }],
    ['before it has told', { onDone: async () => stop() }],
  ])('%s, it goes on to the same key when it is called again, and the service works in between', async (_, killed) => {
    const running = await newProcess()
    const keys = await Promise.all(subjects(1_200).map((subject) => running.ring.newKeyFor(ws, subject)))
    const heard: string[] = []
    const onKey = (key: string) => {
      heard.push(key)
      killed.onKey?.(key)
    }
    await expect(rotate({ ...killed, onKey })).rejects.toThrow('killed')
    const started = await newProcess()
    const [versions] = await started.ring.load([{ workspaceId: ws, subject: 'contact:7' }])
    expect(versions?.[0]?.key.equals(keys[7]!.key)).toBe(true)
    await started.ring.keyFor(ws, 'contact:new')
    const { key } = await rotate()
    expect([...heard, key]).toEqual([key, key])
    expect(await idsInUse()).toEqual([parseMasterKey(key).id])
  })

  test('after the new key took the place of the old, it goes on with that alone', async () => {
    const running = await newProcess()
    await running.ring.newKeyFor(ws, 'contact:ann')
    let kept = ''
    const keep = async (key: string) => {
      kept = key
    }
    await expect(rotate({ keep, onDone: async () => stop() })).rejects.toThrow('killed')
    await newProcess(kept)
    expect(await rotate({ given: { masterKey: kept } })).toEqual({ key: kept, rewrapped: 0 })
    expect(await isBeingRotated(postgresKeyStore(db.pool))).toBe(false)
  })

  test('halfway, a start that brings only the new key is told which one is missing', async () => {
    const running = await newProcess()
    await Promise.all(subjects(1_200).map((subject) => running.ring.newKeyFor(ws, subject)))
    let key = ''
    const onKey = (made: string) => {
      key = made
    }
    await expect(rotate({ onKey, onProgress: (done) => (done >= 500 ? stop() : undefined) })).rejects.toThrow('killed')
    await expect(openKeyRing({ pool: db.pool, masterKey: key })).rejects.toThrow(
      `wrapped under the master key ${OLD_ID}, which this process`,
    )
    await openKeyRing({ pool: db.pool, masterKey: key, previousMasterKeys: [OLD] })
  })
})

test('a person who is erased while the keys are wrapped anew stays erased', async () => {
  const running = await newProcess()
  await Promise.all(subjects(600).map((subject) => running.ring.newKeyFor(ws, subject)))
  const client = await newPool().connect()
  await client.query('begin')
  await client.query(`update keys.subject_key set wrapped = null, shredded_at = now() where subject = 'contact:42'`)
  const rotating = rotate()
  // The rewrapping has read the row as it was and waits for the erasure.
  await until(async () => {
    const { rows } = await db.pool.query<{ waiting: boolean }>(
      `select exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like 'update keys.subject_key%') as waiting`,
    )
    expect(rows[0]?.waiting).toBe(true)
  })
  await client.query('commit')
  client.release()
  await rotating
  await expect(
    (await newProcess((await rotate({ given: { masterKey: (await rotating).key } })).key)).ring.keyFor(ws, 'contact:42'),
  ).rejects.toThrow(SubjectErased)
})

test('a key that is asked for under the old one while that is retired is made under the new one', async () => {
  const late = await newProcess(OLD, true)
  let made: Promise<unknown> | undefined
  const { key } = await rotate({
    onProgress: () => {
      made ??= Promise.all([late.ring.newKeyFor(ws, 'contact:late'), late.ring.claimDigest(ws, 'email', 'ann@example.com')])
    },
  })
  await made
  expect(await idsInUse()).toEqual([parseMasterKey(key).id])
})

test('a process that slept through it makes no key under the old one, and says what to do', async () => {
  const asleep = await newProcess(OLD, true)
  const { key } = await rotate()
  await expect(asleep.ring.newKeyFor(ws, 'contact:late')).rejects.toThrow(`The master key ${OLD_ID} was replaced and retired`)
  await expect(asleep.ring.claimDigest(ws, 'email', 'ann@example.com')).rejects.toThrow('was replaced and retired')
  expect(await idsInUse()).not.toContain(OLD_ID)
  expect(parseMasterKey(key).id).not.toBe(OLD_ID)
})

test('a process that is in the middle of making a key under the old one is waited for', async () => {
  const running = await newProcess()
  await running.ring.newKeyFor(ws, 'contact:ann')
  const client = await newPool().connect()
  await client.query('begin')
  await client.query('select from keys.master_key where id = $1 for share', [OLD_ID])
  const wrapped = wrap(parseMasterKey(OLD), Buffer.alloc(32, 7), `${ws}/contact:slow/1`)
  await client.query(`insert into keys.subject_key (workspace_id, subject, version, wrapped) values ($1, 'contact:slow', 1, $2)`, [
    ws,
    wrapped,
  ])
  const rotating = rotate()
  await until(async () => {
    const { rows } = await db.pool.query<{ waiting: boolean }>(
      `select exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like 'update keys.master_key%') as waiting`,
    )
    expect(rows[0]?.waiting).toBe(true)
  })
  await client.query('commit')
  client.release()
  const { key } = await rotating
  const { rows } = await db.pool.query<{ wrapped: Buffer }>(`select wrapped from keys.subject_key where subject = 'contact:slow'`)
  expect(rows.map((row) => masterKeyIdOf(row.wrapped))).toEqual([parseMasterKey(key).id])
})

test('two calls at once are one and a refusal', async () => {
  await newProcess()
  let second: Promise<unknown> | undefined
  await rotate({
    onDone: async () => {
      second = rotate()
      await expect(second).rejects.toThrow('Another call of `tidings master-key rotate` is at it')
    },
  })
  expect(second).toBeDefined()
})
