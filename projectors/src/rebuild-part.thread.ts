import { createEventLog, upcasters } from '@tidings/codec'
import { createKeyRing, holdMasterKeys, masterKeysOf, parseMasterKey, postgresKeyStore } from '@tidings/codec/keys'
import { eventDeclarations } from '@tidings/domain'
import { postgresEventStore } from '@tidings/event-store/postgres'
import { createPool } from '@tidings/postgres'
import { servePart } from '@tidings/projections'
import type { ThreadSource } from './rebuild-threads.ts'
import { projectionNamed } from './start-projectors.ts'

/** One writes, one reads the log, one asks for keys. */
const CONNECTIONS = 3

/**
 * The process that started this thread has checked its master keys. This thread holds them like a process of its own, so that a rotation waits until it
 * has learned the new one: the old one may be forgotten long before a rebuild is through.
 */
await servePart(async (source, name) => {
  const { url, masterKeys } = source as ThreadSource
  const pool = createPool({ url, max: CONNECTIONS, name: 'tidings-rebuild' })
  const keys = postgresKeyStore(pool)
  const [first, ...others] = masterKeys
  const masters = masterKeysOf(keys, [parseMasterKey(first), ...others.map(parseMasterKey)])
  const holder = await holdMasterKeys({ pool, masters })
  const store = postgresEventStore({ pool })
  const log = createEventLog({ store, declarations: eventDeclarations, upcasters, keyRing: createKeyRing({ store: keys, masters }) })
  const close = async () => {
    await log.close()
    await holder.stop()
    await pool.end()
  }
  return { projection: projectionNamed(name), log, pool, close }
})
