import { setTimeout as sleep } from 'node:timers/promises'

/** New connections tried per second while none of late has succeeded. */
const TRIES_A_SECOND = 10

/**
 * Knows whether the server can be reached. While it cannot, tries are let through at a slow, steady pace instead of at the speed of a
 * refused connection, so that an outage costs few of the waiting messages an attempt; the first success ends it.
 */
export type Outage = Readonly<{
  permit: (signal: AbortSignal) => Promise<void>
  opened: () => void
  failed: () => void
  isDown: () => boolean
}>

export function watchOutage(): Outage {
  let down = false
  let nextTry = 0
  return {
    isDown: () => down,
    opened: () => {
      down = false
    },
    failed: () => {
      down = true
    },
    permit: async (signal) => {
      while (down) {
        const now = performance.now()
        const mine = Math.max(now, nextTry)
        if (mine - now < 1) {
          nextTry = now + 1_000 / TRIES_A_SECOND
          return
        }
        await sleep(Math.min(mine - now, 50), undefined, { signal })
      }
    },
  }
}
