import pg, { type Pool, type PoolClient } from 'pg'

/**
 * Runs `work` inside one read-committed transaction and commits what it did; any error rolls back and is thrown again.
 * When COMMIT itself fails on a lost connection the outcome is unknown: the caller must be able to ask or repeat.
 */
export async function transaction<Result>(pool: Pool, work: (tx: PoolClient) => Promise<Result>): Promise<Result> {
  const tx = await pool.connect()
  let broken: Error | undefined
  const onError = (error: Error) => {
    broken = error
  }
  tx.on('error', onError)
  try {
    await tx.query('begin')
    const result = await work(tx)
    await tx.query('commit')
    return result
  } catch (error) {
    await tx.query('rollback').catch((failure: Error) => {
      broken = failure
    })
    throw error
  } finally {
    tx.off('error', onError)
    tx.release(broken)
  }
}

/** 53100: the disk is full. 53200: no memory is left. 53300: all connections are taken. 25006: a replica, or a server that was made read-only. */
const SQL_STATES = new Set(['40001', '40P01', '53000', '53100', '53200', '53300', '57P01', '57P02', '57P03', '25006'])
const SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOENT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
])
/** What pg says without a code: it lost the socket, or no connection came free in time. */
const MESSAGES = /^Connection terminated|^timeout exceeded when trying to connect|^Client has encountered a connection error/

/**
 * Whether the same statement may succeed when it is simply tried again: the connection or the server went away
 * (SQLSTATE 08xxx, 57P0x, ECONN…), lacks disk, memory or connections (53xxx), takes no writes for now, a serialisation failure or
 * deadlock chose this transaction, or a table was exchanged under it. A limit that is configured (53400) stays.
 */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return (
    code.startsWith('08') || SQL_STATES.has(code) || SYSTEM_CODES.has(code) || MESSAGES.test(error.message) || isOfChangedColumns(error)
  )
}

/** A statement was prepared for other columns than its table has by now. */
export function isOfChangedColumns(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery'
}

/** Whether the same call may succeed later: the error says so itself (`retryable: true`), or Postgres was away. */
export function isRetryable(error: unknown): boolean {
  return isTransient(error) || (error instanceof Error && 'retryable' in error && error.retryable === true)
}
