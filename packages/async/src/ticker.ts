/** `tickNow` ticks at once, unless a tick is under way; `stop` lets that one finish, and `ended` resolves when it has. */
export type Ticker = Readonly<{ tickNow: () => void; stop: () => void; ended: () => Promise<void> }>

type Clock = { timer: NodeJS.Timeout | undefined; readonly ticks: Set<() => void> }

/** Tickers by period. Those that tick together can share statements: forty tickers of a process, each in its own moment, were forty of them a second. */
const clocks = new Map<number, Clock>()

/**
 * Calls `work` every `everyMs`, together with all others of this period, the first time within it, and at multiples of it: tickers of 250 ms and of a second
 * wake an idle process once. One call at a time, so that a call that takes longer skips those that it overlaps, and puts off no other: a renewal that
 * fails slowly must not cost the next one too. `work` must not reject. The timer keeps no process alive.
 */
export function startTicker(everyMs: number, work: () => Promise<void>): Ticker {
  const clock = clocks.get(everyMs) ?? startClock(everyMs)
  let working: Promise<void> | null = null
  const tick = (): void => {
    if (working !== null || !clock.ticks.has(tick)) return
    working = work().finally(() => {
      working = null
    })
  }
  clock.ticks.add(tick)
  return {
    tickNow: tick,
    stop: () => {
      clock.ticks.delete(tick)
      if (clock.ticks.size === 0) stopClock(everyMs, clock)
    },
    ended: async () => {
      await working
    },
  }
}

function startClock(everyMs: number): Clock {
  const clock: Clock = { timer: undefined, ticks: new Set() }
  clocks.set(everyMs, clock)
  schedule(everyMs, clock, Number.NEGATIVE_INFINITY)
  return clock
}

/** `after`: the moment of the last tick. A timer may fire a moment early, and must not do so twice. */
function schedule(everyMs: number, clock: Clock, after: number): void {
  const now = performance.now()
  const due = Math.max(Math.floor(now / everyMs) * everyMs, after) + everyMs
  clock.timer = setTimeout(
    () => {
      schedule(everyMs, clock, due)
      for (const tick of clock.ticks) tick()
    },
    Math.ceil(due - now),
  )
  clock.timer.unref()
}

function stopClock(everyMs: number, clock: Clock): void {
  clearTimeout(clock.timer)
  if (clocks.get(everyMs) === clock) clocks.delete(everyMs)
}
