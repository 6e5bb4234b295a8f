import { partInThread, type RebuildThreads } from '@tidings/projections'

/**
 * What a thread needs to read the log in Postgres, and to open what it holds: `masterKeys` are the texts of the keys that the process has, the newest
 * first. They go to the thread's memory and nowhere else.
 */
export type ThreadSource = Readonly<{ url: string; masterKeys: readonly [string, ...string[]] }>

/** The threads in which this process may rebuild a projection. `count` 1: none; default one a core, at most four. */
export function rebuildThreads(source: ThreadSource, count?: number): RebuildThreads {
  return { count, start: partInThread(new URL('./rebuild-part.thread.ts', import.meta.url), source) }
}
