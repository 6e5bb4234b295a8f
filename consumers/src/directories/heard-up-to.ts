import { setTimeout as sleep } from 'node:timers/promises'
import type { LogFollower } from '@tidings/commands'
import { comparePositions, type Position } from '@tidings/event-store'

/** How long the follower may take to pass an event that a consumer has already: both get it in the same moment. */
const TIMEOUT_MS = 100

/** Whether the follower has heard everything up to `position`, now or in a moment. */
export async function heardUpTo(follower: LogFollower, position: Position): Promise<boolean> {
  for (const until = performance.now() + TIMEOUT_MS; !hasHeard(follower, position); ) {
    if (performance.now() > until) return false
    await sleep(1)
  }
  return true
}

const hasHeard = (follower: LogFollower, position: Position): boolean => {
  const at = follower.position()
  return at !== null && comparePositions(at, position) >= 0
}
