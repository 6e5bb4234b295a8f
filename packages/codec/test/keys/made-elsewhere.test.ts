import { asWorkspaceId } from '@tidings/domain'
import { expect, test } from 'vitest'
import { createKeyRing } from '../../src/keys/key-ring.ts'
import { parseMasterKey } from '../../src/keys/master-key.ts'
import { masterKeysOf } from '../../src/keys/master-keys.ts'
import { memoryKeyStore } from '../../src/keys/memory-key-store.ts'

test('a key that another process makes, with the first event, while this one looks for both is no missing key', async () => {
  const store = memoryKeyStore()
  const ring = () => createKeyRing({ store, masters: masterKeysOf(store, [parseMasterKey('22'.repeat(32))]) })
  const [here, elsewhere] = [ring(), ring()]
  let made: Awaited<ReturnType<typeof elsewhere.newKeyFor>> | undefined
  // The row was not there when it was asked for; when the log is asked, both are.
  here.beforeNewKey(async () => {
    made = await elsewhere.newKeyFor(asWorkspaceId('w'), 'contact:1')
    return true
  })
  const { key } = await here.keyFor(asWorkspaceId('w'), 'contact:1')
  expect(made?.key.equals(key)).toBe(true)
})
