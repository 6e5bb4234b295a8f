import { type CachedDirectory, createDirectory } from '@tidings/directory'
import { START } from '@tidings/event-store'
import { createFollower, type Follower, type LogView } from '@tidings/log-views'
import type { Log } from '@tidings/observability/log'
import { type Heartbeat, processHeartbeat } from '@tidings/projections'
import type { Stores } from '../stores/open-stores.ts'

/** The caches of this process and its heartbeat: a revocation waits until every live process has applied it. */
export type References = Readonly<{
  directory: CachedDirectory
  /** Follows the log for the directory and `views`. Resolves when the other processes know of this one: answer no request before. */
  start: (views: readonly LogView[]) => Promise<Follower>
  stop: () => Promise<void>
}>

export function createReferences({ pool, log: eventLog }: Stores, log: Log, role: string): References {
  const directory = createDirectory(pool)
  let follower: Follower | undefined
  let heartbeat: Heartbeat | undefined
  return {
    directory,
    start: async (views) => {
      const started = createFollower({
        log: eventLog,
        views: [...directory.caches, ...views],
        isKnown: () => heartbeat?.isKnown() ?? false,
        onError: (error) => log.warn({ err: error }, 'the caches lost the event log; trying again'),
      })
      follower = started
      heartbeat = processHeartbeat({
        pool,
        role,
        position: () => (started.isBroken() ? null : (started.position() ?? START)),
        head: () => eventLog.head(),
      })
      await heartbeat.begun
      return started
    },
    stop: async () => {
      await heartbeat?.stop()
      await follower?.close()
    },
  }
}
