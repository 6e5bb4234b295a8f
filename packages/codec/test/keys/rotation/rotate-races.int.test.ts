import { until } from '@tidings/testing'
import { expect, test } from 'vitest'
import { SubjectErased } from '../../../src/errors.ts'
import { masterKeyIdOf, parseMasterKey, wrap } from '../../../src/keys/master-key.ts'
import { forEachTest, idsInUse, newPool, newProcess, OLD, OLD_ID, rotate, subjects, testDb, ws } from './rotation.testing.ts'

forEachTest()

test('a person who is erased while the keys are wrapped anew stays erased', async () => {
  const running = await newProcess()
  await Promise.all(subjects(600).map((subject) => running.ring.newKeyFor(ws, subject)))
  const client = await newPool().connect()
  await client.query('begin')
  await client.query(`update keys.subject_key set wrapped = null, shredded_at = now() where subject = 'contact:42'`)
  const rotating = rotate()
  // The rewrapping has read the row as it was and waits for the erasure.
  await until(async () => {
    const { rows } = await testDb().pool.query<{ waiting: boolean }>(
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
  const { key } = await rotate({
    keep: async () => {
      await Promise.all([late.ring.newKeyFor(ws, 'contact:late'), late.ring.claimDigest(ws, 'email', 'ann@example.com')])
    },
  })
  expect(await idsInUse()).toEqual([parseMasterKey(key).id])
})

test('a process that slept through it makes no key under the old one, and its error names the remedy', async () => {
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
    const { rows } = await testDb().pool.query<{ waiting: boolean }>(
      `select exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like 'update keys.master_key%') as waiting`,
    )
    expect(rows[0]?.waiting).toBe(true)
  })
  await client.query('commit')
  client.release()
  const { key } = await rotating
  const { rows } = await testDb().pool.query<{ wrapped: Buffer }>(`select wrapped from keys.subject_key where subject = 'contact:slow'`)
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
