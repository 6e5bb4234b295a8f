import { followLog, type LogFollower } from '@tidings/commands'
import { createDirectory } from '@tidings/directory'
import { START } from '@tidings/event-store'
import type { Log } from '@tidings/log'
import { type Heartbeat, processHeartbeat } from '@tidings/projections'
import type { Stores } from '../stores/stores.ts'

/** The caches of this process, and its heartbeat: whoever revokes a key waits until every live process has heard of it. */
export type References = Readonly<{
  directory: ReturnType<typeof createDirectory>
  follower: LogFollower
  /** Resolves when the other processes know of this one: nobody may be answered before. */
  start: () => Promise<void>
  stop: () => Promise<void>
}>

/** Whoever listens must do so before `start`. */
export const createReferences = ({ pool, log: eventLog }: Stores, log: Log, role: string): References => {
  const follower = followLog({ log: eventLog, onError: (error) => log.warn({ err: error }, 'the caches lost the event log; trying again') })
  const directory = createDirectory({ pool, follower })
  let heartbeat: Heartbeat | undefined
  return {
    directory,
    follower,
    start: async () => {
      follower.start()
      heartbeat = processHeartbeat({ pool, role, position: () => follower.position() ?? START })
      await heartbeat.begun
    },
    stop: async () => {
      await heartbeat?.stop()
      await follower.close()
    },
  }
}
