const EVERY_MS = 1_000

/** Reports the first time at once and then at most one a second with their number, so that an outage is not an outage of the log too. */
export const occasionally = (report: (fields: Readonly<{ reason: string; times: number }>) => void): ((reason: string) => void) => {
  let [times, reportedAt] = [0, Number.NEGATIVE_INFINITY]
  return (reason) => {
    times += 1
    const now = performance.now()
    if (now - reportedAt < EVERY_MS) return
    report({ reason, times })
    times = 0
    reportedAt = now
  }
}
