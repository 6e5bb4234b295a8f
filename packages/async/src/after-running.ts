const TICK_MS = 100

/**
 * Calls `then` once this process has run for so long, and keeps no process alive for it. What it stood still does not count: a timer of the whole
 * time would be due before the process has done anything of what it has time for.
 */
export function afterRunning(ms: number, then: () => void): void {
  let left = Math.ceil(ms / TICK_MS)
  const timer = setInterval(() => {
    if (--left > 0) return
    clearInterval(timer)
    then()
  }, TICK_MS).unref()
}
