const SQL_STATES = new Set(['40001', '40P01', '53300', '57P01', '57P02', '57P03'])
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
 * (SQLSTATE 08xxx, 57P0x, ECONN…), all slots were taken, or a serialisation failure or deadlock chose this transaction.
 */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return code.startsWith('08') || SQL_STATES.has(code) || SYSTEM_CODES.has(code) || MESSAGES.test(error.message)
}

/** Whether the same call may succeed later: the error says so itself (`retryable: true`), or Postgres was away. */
export function isRetryable(error: unknown): boolean {
  return isTransient(error) || (error instanceof Error && 'retryable' in error && error.retryable === true)
}
