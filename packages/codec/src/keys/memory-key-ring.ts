import { createKeyRing, type KeyRing } from './key-ring.ts'
import { parseMasterKey } from './master-key.ts'
import { memoryKeyStore } from './memory-key-store.ts'

/** A key ring of its own, in memory under a fixed master key: for unit tests. */
export const memoryKeyRing = (): KeyRing => createKeyRing({ store: memoryKeyStore(), masterKey: parseMasterKey('00'.repeat(32)) })
