import type { EventDeclarations } from '@tidings/domain'
import type { EventStore, SeenPosition } from '@tidings/event-store'
import { postgresEventStore } from '@tidings/event-store/postgres'
import { type LogReplicas, readOnReplicas } from '@tidings/event-store/read-on-replicas'
import { createPool } from '@tidings/postgres/pool'
import type { Pool } from 'pg'
import type { EventLog } from './event-log.ts'
import { announceMasterKeys } from './keys/announce-master-keys.ts'
import { createKeyRing } from './keys/key-ring.ts'
import { parseMasterKey } from './keys/master-key.ts'
import { masterKeysOf } from './keys/master-keys.ts'
import { postgresKeyStore } from './keys/postgres-key-store.ts'
import { createEventLog } from './typed-event-log.ts'
import { upcasters } from './upcast/upcasters.ts'

/**
 * What a thread needs to read the log in Postgres, and to open what it holds: `masterKeys` are the texts of the keys that the process has, the newest
 * first. They go to the thread's memory and nowhere else. `seen`: a log that does not reach this place has gone back. `replicas`: the log is read there.
 */
export type ThreadSource = Readonly<{
  url: string
  masterKeys: readonly [string, ...string[]]
  seen?: SeenPosition
  replicas?: LogReplicas | undefined
}>

type LogInThread = Readonly<{ log: EventLog; store: EventStore; pool: Pool; close: () => Promise<void> }>

/** One writes, one reads the log, one asks for keys. */
const CONNECTIONS = 3

/**
 * The log, opened in a thread over connections of its own. The process that started the thread has checked its master keys. The thread announces them like a
 * process of its own, so that a rotation waits until it has learned the new one: the old one may be forgotten long before its work is through.
 * `name`: of its sessions in Postgres.
 */
export async function openLogInThread(
  { url, masterKeys: [first, ...others], seen, replicas }: ThreadSource,
  { name, declarations }: Readonly<{ name: string; declarations: EventDeclarations }>,
): Promise<LogInThread> {
  const pool = createPool({ url, max: CONNECTIONS, name })
  const keys = postgresKeyStore(pool)
  const masters = masterKeysOf(keys, [parseMasterKey(first), ...others.map((text) => parseMasterKey(text))])
  const holder = await announceMasterKeys({ pool, masters }).catch(async (error: unknown) => {
    await pool.end()
    throw error
  })
  const primary = postgresEventStore({ pool, ...(seen && { seen }) })
  const store = replicas ? readOnReplicas(primary, replicas) : primary
  const log = createEventLog({ store, declarations, upcasters, keyRing: createKeyRing({ store: keys, masters }) })
  const close = async () => {
    await log.close()
    await holder.stop()
    await pool.end()
  }
  return { log, store, pool, close }
}
