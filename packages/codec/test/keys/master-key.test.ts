import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { WrongMasterKey } from '../../src/errors.ts'
import { parseMasterKey, unwrap, wrap } from '../../src/keys/master-key.ts'
import { checkMasterKey } from '../../src/keys/master-keys.ts'
import { memoryKeyStore } from '../../src/keys/memory-key-store.ts'

const bytes = randomBytes(32)
const key = parseMasterKey(bytes.toString('hex'))
const other = parseMasterKey(randomBytes(32).toString('hex'))

test('hex and both kinds of base64 name the same key', () => {
  for (const text of [bytes.toString('base64'), bytes.toString('base64url'), ` ${bytes.toString('hex').toUpperCase()}\n`])
    expect(parseMasterKey(text).id).toBe(key.id)
})

test.each(['', 'secret', 'ab'.repeat(31), 'ab'.repeat(33), randomBytes(16).toString('base64')])(
  '%j is refused without being shown',
  (text) => {
    expect(() => parseMasterKey(text)).toThrow('TIDINGS_MASTER_KEY must be 32 bytes, as 64 hex digits or as base64.')
  },
)

test('a wrapped key opens for the same row under the same master key only', () => {
  const wrapped = wrap(key, bytes, 'workspace/contact:1/1')
  expect(unwrap([key], wrapped, 'workspace/contact:1/1')).toEqual(bytes)
  expect(unwrap([other, key], wrapped, 'workspace/contact:1/1')).toEqual(bytes)
  expect(() => unwrap([key], wrapped, 'workspace/contact:2/1')).toThrow()
  expect(() => unwrap([other], wrapped, 'workspace/contact:1/1')).toThrow(WrongMasterKey)
})

test('keys for different purposes differ', () => {
  expect(key.derive('link token tag v1').equals(key.derive('link token text v1'))).toBe(false)
  expect(key.derive('link token tag v1').equals(parseMasterKey(bytes.toString('hex')).derive('link token tag v1'))).toBe(true)
})

test('the first start writes the master key down, and another key is refused from then on', async () => {
  const store = memoryKeyStore()
  await checkMasterKey(store, key)
  await checkMasterKey(store, key)
  await expect(checkMasterKey(store, other)).rejects.toThrow(/^TIDINGS_MASTER_KEY is not the key this database was written under/)
})

test('a new master key is accepted beside the one it replaces, and alone afterwards', async () => {
  const store = memoryKeyStore()
  await checkMasterKey(store, key)
  await checkMasterKey(store, other, [key])
  await checkMasterKey(store, other)
})

test('a key with the same id and another value is refused', async () => {
  const store = memoryKeyStore()
  await store.addMasterKey(key.id, randomBytes(32))
  await expect(checkMasterKey(store, key)).rejects.toThrow(WrongMasterKey)
})
