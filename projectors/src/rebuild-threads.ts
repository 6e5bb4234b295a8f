import type { ThreadSource } from '@tidings/codec/log-in-thread'
import { partInThread, type RebuildThreads } from '@tidings/projections'

/** The threads in which this process may rebuild a projection. `count` 1: none; default one a core, at most four. */
export function rebuildThreads(source: ThreadSource, count?: number): RebuildThreads {
  return { count, start: partInThread(new URL('./rebuild-part.thread.ts', import.meta.url), source) }
}
