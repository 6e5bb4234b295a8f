import { isTransient } from '@tidings/postgres'
import { isNotBuilt } from '@tidings/read-models'

/** A read was under way on a server that does not answer any more, or that lets it wait. Another one is asked. */
export class ServerLost extends Error {
  readonly retryable = true
}

/** The server cannot answer this read: it shows less than the caller has seen, or is no replica any more. Another one is asked. */
export class ServerUnfit extends Error {
  readonly retryable = true
}

const LOCK_NOT_AVAILABLE = '55P03'

/** A failure of a statement on a replica, which another server may not have. */
export function faultOnReplica(error: unknown): unknown {
  if (isNotBuilt(error)) return new ServerUnfit('it does not show the tables of this version yet', { cause: error })
  const isLocked = error instanceof Error && 'code' in error && error.code === LOCK_NOT_AVAILABLE
  return isLocked ? new ServerLost('a table is locked there', { cause: error }) : error
}

/** All connections are taken: another server would only be the next to have none. */
const IS_FULL = /^timeout exceeded when trying to connect/

/** Whether a read that failed may succeed on another server. */
export function isOfServer(error: unknown): boolean {
  return error instanceof ServerUnfit || error instanceof ServerLost || (isTransient(error) && !isFull(error))
}

const isFull = (error: unknown): boolean => error instanceof Error && IS_FULL.test(error.message)
