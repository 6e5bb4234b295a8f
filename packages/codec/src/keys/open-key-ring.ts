import type { Pool } from 'pg'
import { createKeyRing, type KeyRing } from './key-ring.ts'
import { type MasterKeyTexts, openMasterKeys } from './open-master-keys.ts'
import { postgresKeyStore } from './postgres-key-store.ts'

export type KeyRingSettings = Readonly<{ pool: Pool }> & MasterKeyTexts

/** The key ring of this database. Throws `WrongMasterKey` where the master key is malformed or not the database's. */
export async function openKeyRing(settings: KeyRingSettings): Promise<KeyRing> {
  const store = postgresKeyStore(settings.pool)
  return createKeyRing({ store, masters: await openMasterKeys(store, settings) })
}
