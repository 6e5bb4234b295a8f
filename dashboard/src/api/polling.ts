// How often a screen asks again: while something on it moves. In a hidden tab the library stops by itself.

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

/** Milliseconds until the next question; false for none, after ten minutes without a sign of a person. */
export function nextPoll(every: number, now: number = Date.now()): number | false {
  return now - clock.lastSign > IDLE_MS ? false : every
}
