import type { Recorded } from '@tidings/codec'
import type { PoolClient } from 'pg'

/**
 * A reader of the log with effects in Postgres. Its batches come from the log or from Kafka; it cannot tell which.
 * `handle` runs inside the transaction that also moves the group's checkpoint: both happen, or neither.
 * It must not call the outside world. What it returns runs once after the commit (to wake a worker, not to do work).
 */
export type Consumer = Readonly<{
  group: string
  types: readonly string[]
  handle: (events: readonly Recorded[], tx: PoolClient) => Promise<undefined | (() => void)>
}>

/** Progress of a running consumer; `stop` resolves when the batch in hand is done. */
export type RunningConsumer = Readonly<{ group: string; stop: () => Promise<void> }>
