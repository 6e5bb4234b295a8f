import type { Pool } from 'pg'
import { createKeyRing, type KeyRing } from './key-ring.ts'
import { parseMasterKey } from './master-key.ts'
import { checkMasterKey } from './master-key-check.ts'
import { postgresKeyStore } from './postgres-key-store.ts'

/** `masterKey`: the text of TIDINGS_MASTER_KEY. `previousMasterKeys`: those it replaced, which still open what they wrapped. */
export type KeyRingSettings = Readonly<{ pool: Pool; masterKey: string; previousMasterKeys?: readonly string[] }>

/** The key ring of this database. Throws `WrongMasterKey` where the master key is malformed or not the database's. */
export const openKeyRing = async (settings: KeyRingSettings): Promise<KeyRing> => {
  const store = postgresKeyStore(settings.pool)
  const masterKey = parseMasterKey(settings.masterKey)
  const previousMasterKeys = (settings.previousMasterKeys ?? []).map(parseMasterKey)
  await checkMasterKey(store, masterKey, previousMasterKeys)
  return createKeyRing({ store, masterKey, previousMasterKeys })
}
