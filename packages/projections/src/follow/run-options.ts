import type { EventLog } from '@tidings/codec'
import type { Pool } from 'pg'
import type { Progress } from '../progress.ts'
import type { AnyProjection } from '../projection.ts'
import type { RebuildThreads } from '../rebuild/parts/part-thread.ts'

export type RunOptions = Readonly<{
  projection: AnyProjection
  log: EventLog
  pool: Pool
  progress: Progress
  /** Names this process in leases and status rows; unique for each start. */
  owner: string
  /** Upper bound of one batch, in events. Default 2 000. */
  maxBatch?: number
  /** Those that may build a new version of the tables. Asked when it begins, and not again once such a build has failed; default: none. */
  threads?: (() => RebuildThreads | undefined) | undefined
  /** Called when a failure begins, not at each repetition; for the log. */
  onFailure?: (projection: string, error: unknown) => void
}>
