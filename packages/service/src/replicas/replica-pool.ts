import { createPool } from '@tidings/postgres'
import type { Pool } from 'pg'

/**
 * A replica gives no lock for as long as a query there keeps a swap of tables from being replayed, or its primary died in the middle of one. Another server
 * answers then.
 */
const LOCK_TIMEOUT_MS = 1_000
/** A process that vanished leaves its snapshot open: what is replayed would wait for that, or the primary keep what it shows. */
const IDLE_MS = 5_000

const SESSION = `set lock_timeout = ${LOCK_TIMEOUT_MS}; set idle_in_transaction_session_timeout = ${IDLE_MS}`

/** Connections on which reads of a replica wait for no lock for long. */
export function replicaPool(url: string, max: number): Pool {
  const onIdleError = (): void => undefined // The watch says which one is away.
  const pool = createPool({ url, max, name: 'tidings-reads', onIdleError })
  // The first statement of the connection. Where it fails, the connection is lost, and so is the read behind it.
  pool.on('connect', (client) => void client.query(SESSION).catch(() => undefined))
  return pool
}
