import { createKeyRing, type KeyRing } from './key-ring.ts'
import { parseMasterKey } from './master-key.ts'
import { masterKeysOf } from './master-keys.ts'
import { memoryKeyStore } from './memory-key-store.ts'

/** A key ring of its own, in memory under a fixed master key: for unit tests. */
export function memoryKeyRing(): KeyRing {
  const store = memoryKeyStore()
  return createKeyRing({ store, masters: masterKeysOf(store, [parseMasterKey('00'.repeat(32))]) })
}
