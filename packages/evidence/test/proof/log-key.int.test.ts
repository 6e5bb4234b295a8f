import { memoryKeyRing, openKeyRing } from '@tidings/codec'
import { rotateMasterKey } from '@tidings/codec/keys'
import { testDatabase } from '@tidings/testing'
import { expect, test } from 'vitest'
import { openLogKey } from '../../src/proof/log-key.ts'

test('every process of an installation signs with one key, also after its master key was replaced', async () => {
  const { pool, drop } = await testDatabase()
  const given = { masterKey: '00'.repeat(32) }
  const open = async (masterKey: string) => await openLogKey(await openKeyRing({ pool, masterKey }))
  const [first, second] = await Promise.all([open(given.masterKey), open(given.masterKey)])
  expect(first.fingerprint).toBe(second.fingerprint)
  let replaced = ''
  await rotateMasterKey({
    ...{ pool, given, onKey: () => undefined, onProgress: () => undefined, onDone: async () => undefined },
    keep: async (key) => {
      replaced = key
    },
  })
  const after = await open(replaced)
  expect(after.publicKey).toBe(first.publicKey)
  expect(after.isSigned({ a: 1 }, first.sign({ a: 1 }))).toBe(true)
  expect(after.isSigned({ a: 2 }, first.sign({ a: 1 }))).toBe(false)
  await drop()
})

test('another installation has another key', async () => {
  const [one, another] = await Promise.all([openLogKey(memoryKeyRing()), openLogKey(memoryKeyRing())])
  expect(one.fingerprint).not.toBe(another.fingerprint)
})
