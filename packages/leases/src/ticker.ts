/** `tickNow` ticks at once, unless a tick is under way; `stop` lets that one finish. */
export type Ticker = Readonly<{ tickNow: () => void; stop: () => void }>

/** Calls `work` again and again, `everyMs` after its last end; one call at a time. `work` must not reject. The timer keeps no process alive. */
export function startTicker(everyMs: number, work: () => Promise<void>): Ticker {
  let isStopped = false
  let isWorking = false
  let timer: NodeJS.Timeout | undefined
  const arm = (): void => {
    timer = setTimeout(tick, everyMs)
    timer.unref()
  }
  const tick = async (): Promise<void> => {
    clearTimeout(timer)
    isWorking = true
    await work()
    isWorking = false
    if (!isStopped) arm()
  }
  arm()
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
