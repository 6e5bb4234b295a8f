import type { EventLog } from '@tidings/codec'
import type { Position } from '@tidings/event-store'
import type { Pool } from 'pg'
import type { AnyProjection } from '../projection.ts'
import type { RebuildThreads } from './parts/part-thread.ts'

/** `head` is where the log ended when the rebuild began; `events` counts what concerned the projection so far. */
type RebuildProgress = Readonly<{ projection: string; position: Position; head: Position; events: number; seconds: number }>

export type RebuildOptions = Readonly<{
  projection: AnyProjection
  log: EventLog
  pool: Pool
  onProgress?: (progress: RebuildProgress) => void
  /** Cancels: the live tables stay as they are, and what was built is dropped. */
  signal?: AbortSignal
  /** Threads, for a log in Postgres. By default everything is done in this thread. */
  threads?: RebuildThreads | undefined
  /** Events of the log a page; default 250. */
  page?: number
}>
