import { comparePositions, type Position } from '@tidings/event-store'

/** Somebody waits until `position` is reached; `live` turns false when it no longer does. */
export type Waiter = { readonly position: Position; readonly reached: () => void; live: boolean }

/** The waiters of one projection, by position. Appends come almost in order, so a new one is nearly always the last. */
export type WaitingList = Readonly<{ add: (waiter: Waiter) => void; reached: (position: Position) => void; size: () => number }>

export function waitingList(): WaitingList {
  let waiters: Waiter[] = []
  return {
    add: (waiter) => {
      let at = waiters.length
      while (at > 0 && comparePositions(waiters[at - 1]!.position, waiter.position) > 0) at--
      waiters.splice(at, 0, waiter)
    },
    reached: (position) => {
      let count = 0
      while (count < waiters.length && comparePositions(waiters[count]!.position, position) <= 0) count++
      const due = waiters.splice(0, count)
      // Those that timed out behind a stuck position leave here, so that the list cannot grow while nothing moves.
      if (waiters.some(({ live }) => !live)) waiters = waiters.filter(({ live }) => live)
      for (const waiter of due) if (waiter.live) waiter.reached()
    },
    size: () => waiters.length,
  }
}
