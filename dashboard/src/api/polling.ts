import { ApiProblem } from './client.ts'

// How often a screen asks again: while something on it moves, and where it could not be read. In a hidden tab the library stops by itself.

const IDLE_MS = 600_000

/** While something on the screen moves. */
export const MOVING_MS = 2_000

/** On the overview, whose figures move with every message. */
export const OVERVIEW_MS = 15_000

const clock = { lastSign: Date.now() }

/** Listens for signs of a person; `stop` takes the listeners off again. */
export function watchPresence(target: Pick<Window, 'addEventListener' | 'removeEventListener'>, now: () => number = Date.now): () => void {
  const note = (): void => {
    clock.lastSign = now()
  }
  note()
  const signs = ['pointerdown', 'pointermove', 'keydown', 'focus'] as const
  for (const sign of signs) target.addEventListener(sign, note, { passive: true })
  return () => {
    for (const sign of signs) target.removeEventListener(sign, note)
  }
}

/** Whether the last sign of a person is more than ten minutes old. */
export function isDeserted(now: number = Date.now()): boolean {
  return now - clock.lastSign > IDLE_MS
}

/** Milliseconds until the next question; false for none: while the page is deserted, and after a failure that app/ask-again.ts asks again for. */
export function nextPoll(every: number, { error }: Readonly<{ error: unknown }>): number | false {
  return isDeserted() || isTemporary(error) ? false : every
}

/** Whether the service is busy or away, or the way to it: the same question may be answered a moment later. */
export function isTemporary(error: unknown): error is ApiProblem {
  return error instanceof ApiProblem && [0, 502, 503, 504].includes(error.status)
}

const FIRST_MS = 2_000
const LONGEST_MS = 60_000
/** A timer of more than 24 days would end at once. */
const LONGEST_WISH_MS = 3_600_000

/** Milliseconds until what failed is asked for again: twice as long with each failure, and never before the service wants to be asked. `random`: 0 to 1, so that pages that failed together ask apart. */
export function askAgainMs({ retryAfterMs }: ApiProblem, failures: number, random: number): number {
  const backoff = Math.min(FIRST_MS * 2 ** (failures - 1), LONGEST_MS)
  return Math.max(backoff, Math.min(retryAfterMs ?? 0, LONGEST_WISH_MS)) + (backoff * random) / 2
}
