import type { EventLog, Recorded } from '@tidings/codec'
import type { WorkspaceId } from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import type { ClientBase, Pool, PoolClient } from 'pg'

/**
 * A reader's position. `move` writes the new position inside the effect's transaction and throws `Fenced` where that would not be exactly
 * once; `moved` is called after the commit. `moveWith` writes position and effect in one statement, and answers the effect's value.
 */
export type Cursor = Readonly<{
  at: () => Position
  move: (tx: ClientBase, to: Position) => Promise<void>
  moveWith?: (pool: Pool, to: Position, effect: Effect) => Promise<unknown>
  moved: (to: Position) => void
}>

/**
 * The effect of a consumer on a batch, as one SQL expression: `call`, with the parameters `$1` and so on, answers one value that is never null.
 * `done` gets it once it is committed. `name` is that of the prepared statement.
 */
export type Effect = Readonly<{ name: string; call: string; values: readonly unknown[]; done: (value: unknown) => void }>

/**
 * A reader of the log with effects in Postgres. Its batches come from the log or from Kafka, without a difference.
 * `handle` runs inside the transaction that also moves the group's checkpoint: both happen, or neither.
 * It must not call the outside world. What it returns runs once after the commit (to wake a worker, not to do work).
 *
 * That transaction does not wait for the disk: when Postgres crashes, the last checkpoints and effects may be undone together and their
 * events come again. They come in a new session: `opened` says before its first batch where the log ended then. Up to there an event
 * may have had consequences beyond the effect; after it, it is seen for the first time.
 *
 * `concerns` says of events of its types whether `handle` would do anything about them: where it would not, there is no transaction, and the
 * checkpoint moves with the next effect or some seconds later, as when only events of other consumers go by. It is asked again when the
 * events come again, and must then not have become true of them. Without it every event of the types counts.
 *
 * `effect` is what `handle` would do, where that is one statement: it then carries the checkpoint too, instead of four round trips for an event
 * that comes alone. Null: `handle` is to do it.
 */
export type Consumer = Readonly<{
  group: string
  types: readonly string[]
  opened?: (head: Position) => void
  concerns?: (events: readonly Recorded[]) => boolean | Promise<boolean>
  effect?: (events: readonly Recorded[]) => Promise<Effect | null>
  handle: (events: readonly Recorded[], tx: PoolClient) => Promise<undefined | (() => void)>
}>

/** Progress of a running consumer; `stop` resolves when the running batch is done. */
export type RunningConsumer = Readonly<{
  group: string
  stop: () => Promise<void>
  progress: () => ConsumerProgress
}>

/**
 * `position`: the last place this process handled, null while it has no part in the group. `lagSeconds`: age of what is handled now, or of what
 * waits while there is no broker; 0 when caught up. `lagEvents`: records of Kafka that wait in this process's partitions; null where the log is
 * read. `unknownEvent`: what a newer build wrote, where this process had to give the group back; null again once a newer process has taken the group past it.
 */
export type ConsumerProgress = Readonly<{
  position: Position | null
  caughtUp: boolean
  lagSeconds: number
  lagEvents: number | null
  unknownEvent: string | null
}>

/** What became a dead letter of a consumer; `reference`: the position of an event, or the partition of records. */
export type LetterOf = Readonly<{ consumer: string; workspaceId: WorkspaceId | null; reference: string }>

/** The options that every transport takes. `startAt`: where a group that is new begins (default `head`: history is not news). */
export type ConsumerOptions = Readonly<{
  consumer: Consumer
  log: EventLog
  pool: Pool
  startAt?: 'head' | 'start'
  /** Events a transaction, at most; default 2 000. */
  maxBatch?: number
  /** Called with every error that was retried, and with the dead letter that it became. */
  onFault?: (error: unknown, letter?: LetterOf) => void
}>

/** Runs consumers from the log or from Kafka. */
export type Transport = (options: ConsumerOptions) => RunningConsumer
