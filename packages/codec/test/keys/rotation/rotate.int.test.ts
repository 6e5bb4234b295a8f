import { until } from '@tidings/testing'
import { describe, expect, test } from 'vitest'
import { WrongMasterKey } from '../../../src/errors.ts'
import { uuidv7 } from '../../../src/ids.ts'
import { parseMasterKey } from '../../../src/keys/master-key.ts'
import { openKeyRing, postgresKeyStore } from '../../../src/keys/postgres-key-store.ts'
import { isBeingRotated, type RotateOptions } from '../../../src/keys/rotation/rotate.ts'
import { forEachTest, idsInUse, linkKey, newProcess, OLD, OLD_ID, rotate, stop, subjects, testDb, ws } from './rotation.testing.ts'

forEachTest()

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

test('a place that takes no new key is found before a rotation is begun', async () => {
  await newProcess()
  const onBegin = () => Promise.reject(new Error('read-only'))
  await expect(rotate({ onBegin })).rejects.toThrow('read-only')
  const { rows } = await testDb().pool.query('select id, sealed from keys.master_key')
  expect(rows).toEqual([{ id: OLD_ID, sealed: null }])
})

test('the old key is refused afterwards, also with a copy of the database', async () => {
  await newProcess()
  const { key } = await rotate()
  await expect(openKeyRing({ pool: testDb().pool, masterKey: OLD })).rejects.toThrow(WrongMasterKey)
  const { rows } = await testDb().pool.query<{ row: string }>('select m::text as row from keys.master_key m')
  expect(rows.map(({ row }) => row.split(',')[0])).toEqual([`(${parseMasterKey(key).id}`])
  expect(await isBeingRotated(postgresKeyStore(testDb().pool))).toBe(false)
})

test('links that were made with the old key are recognised and opened after two rotations, and new ones are made with the newest', async () => {
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
    ['before it has reported', { onDone: async () => stop() }],
  ])('%s, it continues to the same key when it is called again, and the service works in between', async (_, killed) => {
    const running = await newProcess()
    const keys = await Promise.all(subjects(1_200).map((subject) => running.ring.newKeyFor(ws, subject)))
    const seen: string[] = []
    const onKey = (key: string) => {
      seen.push(key)
      killed.onKey?.(key)
    }
    await expect(rotate({ ...killed, onKey })).rejects.toThrow('killed')
    const started = await newProcess()
    const [versions] = await started.ring.load([{ workspaceId: ws, subject: 'contact:7' }])
    expect(versions?.[0]?.key.equals(keys[7]!.key)).toBe(true)
    await started.ring.keyFor(ws, 'contact:new')
    const { key } = await rotate()
    expect([...seen, key]).toEqual([key, key])
    expect(await idsInUse()).toEqual([parseMasterKey(key).id])
  })

  test('after the new key took the place of the old, it continues with that alone', async () => {
    const running = await newProcess()
    await running.ring.newKeyFor(ws, 'contact:ann')
    let kept = ''
    const keep = async (key: string) => {
      kept = key
    }
    await expect(rotate({ keep, onDone: async () => stop() })).rejects.toThrow('killed')
    await newProcess(kept)
    expect(await rotate({ given: { masterKey: kept } })).toEqual({ key: kept, rewrapped: 0 })
    expect(await isBeingRotated(postgresKeyStore(testDb().pool))).toBe(false)
  })

  test('halfway, a start that brings only the new key names the one that is missing', async () => {
    const running = await newProcess()
    await Promise.all(subjects(1_200).map((subject) => running.ring.newKeyFor(ws, subject)))
    let key = ''
    const onKey = (made: string) => {
      key = made
    }
    await expect(rotate({ onKey, onProgress: (done) => (done >= 500 ? stop() : undefined) })).rejects.toThrow('killed')
    await expect(openKeyRing({ pool: testDb().pool, masterKey: key })).rejects.toThrow(
      `wrapped under the master key ${OLD_ID}, which this process`,
    )
    await openKeyRing({ pool: testDb().pool, masterKey: key, previousMasterKeys: [OLD] })
  })
})
