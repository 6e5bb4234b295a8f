import { until } from '@tidings/testing'
import { expect, test } from 'vitest'
import { announceMasterKeys } from '../../../src/keys/announce-master-keys.ts'
import { forEachTest, newPool, newProcess, OLD, OLD_ID, rotate, testDb } from './rotation.testing.ts'

forEachTest()

test('a process that opened the old key before a rotation, and has it after, does not start', async () => {
  const { masters } = await newProcess(OLD, true)
  await rotate()
  await expect(announceMasterKeys({ pool: newPool(), masters })).rejects.toThrow(`The master key ${OLD_ID} was replaced and retired`)
  expect((await testDb().pool.query('select from keys.holder')).rowCount).toBe(0)
})

test('a process that slept through a rotation reports once that its key was replaced', async () => {
  const { masters } = await newProcess(OLD, true)
  const reports: unknown[] = []
  const pool = newPool()
  const holder = await announceMasterKeys({ pool, masters, onLost: (error) => reports.push(error) })
  masters.assertInForce()
  // Asleep for so long that it counts as gone.
  const connect = pool.query
  pool.query = (() => Promise.reject(new Error('asleep'))) as typeof pool.query
  await testDb().pool.query(`update keys.holder set heard_at = heard_at - interval '1 minute'`)
  await rotate()
  pool.query = connect
  await until(() => expect(reports).toHaveLength(1))
  expect(() => masters.assertInForce()).toThrow(`The master key ${OLD_ID} was replaced and retired`)
  await masters.learn()
  await holder.stop()
  expect(reports).toHaveLength(1)
})

test('a process that takes the new key over reports nothing', async () => {
  const { masters } = await newProcess()
  await rotate()
  await masters.learn()
  masters.assertInForce()
})
