const EVERY_MS = 1_000

type Report = (fields: Readonly<{ reason: string; times: number }>) => void

/** Reports the first call at once, and then at most once a second with the number of calls, so that an outage does not flood the log lines. */
export function createThrottledReport(report: Report): (reason: string) => void {
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
