import { isTransient } from '@tidings/postgres'

/** A read was under way on a server that does not answer any more, or that lets it wait. Another one is asked. */
export class ServerLost extends Error {
  readonly retryable = true
}

/** The server cannot answer this read: it shows less than the caller has seen, or is no replica any more. Another one is asked. */
export class ServerUnfit extends Error {
  readonly retryable = true
}

/** All connections are taken: another server would only be the next to have none. */
const IS_FULL = /^timeout exceeded when trying to connect/

/** Whether a read that failed may succeed on another server. */
export function isOfServer(error: unknown): boolean {
  return error instanceof ServerUnfit || error instanceof ServerLost || (isTransient(error) && !isFull(error))
}

const isFull = (error: unknown): boolean => error instanceof Error && IS_FULL.test(error.message)
