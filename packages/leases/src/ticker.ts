/** `tickNow` ticks at once, unless a tick is under way; `stop` lets that one finish. */
export type Ticker = Readonly<{ tickNow: () => void; stop: () => void }>

/**
 * Calls `work` every `everyMs`; one call at a time, so that a call that takes longer skips those that it overlaps, and puts off no other: a
 * renewal that fails slowly must not cost the next one too. `work` must not reject. The timer keeps no process alive.
 */
export function startTicker(everyMs: number, work: () => Promise<void>): Ticker {
  let isStopped = false
  let isWorking = false
  let timer: NodeJS.Timeout | undefined
  const arm = (ms: number): void => {
    timer = setTimeout(tick, ms)
    timer.unref()
  }
  const tick = async (): Promise<void> => {
    clearTimeout(timer)
    isWorking = true
    const beganAt = performance.now()
    await work()
    isWorking = false
    if (!isStopped) arm(everyMs - ((performance.now() - beganAt) % everyMs))
  }
  arm(everyMs)
  return {
    tickNow: () => {
      if (!isWorking && !isStopped) void tick()
    },
    stop: () => {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
