import pTimeout from 'p-timeout'
import { type BatchLoader, createBatchLoader } from './batch-loader.ts'
import { weakMemo } from './weak-memo.ts'

/** `ask` is one statement for all keys; `pick` finds what of its rows is a key's. */
export type SharedStatementOptions<Db, K, Row, R> = Readonly<{
  ask: (db: Db, keys: readonly K[]) => Promise<readonly Row[]>
  pick: (rows: readonly Row[], key: K) => R
  /** Set it if a missing row has a meaning: a late answer is then a `LateAnswer`. */
  failsLate?: boolean
}>

const MAX_KEYS = 1_000
const LATE_MS = 1_000

/** The database did not answer in time. The caller waits for it, as in an outage, and asks again. */
class LateAnswer extends Error {
  override readonly name = 'LateAnswer'
  readonly retryable = true
  constructor() {
    super(`the database did not answer within ${LATE_MS} ms`)
  }
}

/**
 * Puts the questions that a whole process asks of a database again and again into one statement for each turn of the event loop. One connection that does not answer
 * must not delay all who ask: an answer that is a second late counts as one without rows, or as a failure.
 */
export function sharedStatement<Db extends object, K, Row, R>({
  ask,
  pick,
  failsLate = false,
}: SharedStatementOptions<Db, K, Row, R>): (db: Db) => BatchLoader<K, R> {
  return weakMemo((db: Db) =>
    createBatchLoader({
      maxKeys: MAX_KEYS,
      load: (keys: readonly K[]) =>
        pTimeout(ask(db, keys), { milliseconds: LATE_MS, ...(failsLate ? { message: new LateAnswer() } : { fallback: () => [] }) }),
      pick,
    }),
  )
}
