import { asWorkspaceId } from '@tidings/domain'
import { patientPool, type TestDatabase, testDatabase } from '@tidings/testing'
import type { Pool } from 'pg'
import { afterEach, beforeEach } from 'vitest'
import { uuidv7 } from '../../../src/ids.ts'
import { announceMasterKeys, type Holder } from '../../../src/keys/announce-master-keys.ts'
import { createKeyRing } from '../../../src/keys/key-ring.ts'
import { parseMasterKey } from '../../../src/keys/master-key.ts'
import { type MasterKeys, openMasterKeys } from '../../../src/keys/master-keys.ts'
import { postgresKeyStore } from '../../../src/keys/postgres-key-store.ts'
import { type Rotated, type RotateOptions, rotateMasterKey } from '../../../src/keys/rotation/rotate.ts'

export const OLD = '22'.repeat(32)
export const OLD_ID = parseMasterKey(OLD).id
export const ws = asWorkspaceId(uuidv7())

let db: TestDatabase
let pools: Pool[]
let holders: Holder[]

/** The database of the test that runs. */
export function testDb(): TestDatabase {
  return db
}

/** A database for each test; call it once in a file. */
export function forEachTest(): void {
  beforeEach(async () => {
    db = await testDatabase()
    pools = []
    holders = []
  })
  afterEach(async () => {
    await Promise.all(holders.map((holder) => holder.stop()))
    await Promise.all(pools.map((pool) => pool.end()))
    await db.drop()
  })
}

export function newPool(): Pool {
  const pool = patientPool({ url: db.url, max: 4, name: 'rotation-test' })
  pools.push(pool)
  return pool
}

/** A process as it runs: it reports which keys it has, and learns. `asleep`: it did neither since it was started. */
export async function newProcess(masterKey = OLD, asleep = false) {
  const pool = newPool()
  const store = postgresKeyStore(pool)
  const masters = await openMasterKeys(store, { masterKey })
  if (!asleep) holders.push(await announceMasterKeys({ pool, masters }))
  return { masters, ring: createKeyRing({ store, masters }) }
}

export async function rotate({ onDone, ...changes }: Partial<RotateOptions> = {}): Promise<Rotated> {
  let rotated: Rotated | undefined
  await rotateMasterKey({
    pool: newPool(),
    given: { masterKey: OLD },
    onKey: () => undefined,
    onProgress: () => undefined,
    keep: async () => undefined,
    onDone: async (done) => {
      rotated = done
      await onDone?.(done)
    },
    ...changes,
  })
  if (rotated === undefined) throw new Error('it did not say what it had done')
  return rotated
}

export function subjects(count: number) {
  return Array.from({ length: count }, (_, n) => `contact:${n}`)
}
export function idsInUse() {
  return postgresKeyStore(db.pool).masterKeysInUse()
}
export function linkKey({ derivers }: MasterKeys, n = 0) {
  return derivers()[n]?.('link token tag v1').export().toString('hex')
}
export function stop(): never {
  throw new Error('killed')
}
