const EVERY_MS = 1_000

/** Reports the first repetition at once and then at most one a second with their number, so that an outage is not an outage of the log too. */
export const retryWarnings = (report: (fields: Readonly<{ reason: string; repeated: number }>) => void): ((reason: string) => void) => {
  let [repeated, reportedAt] = [0, Number.NEGATIVE_INFINITY]
  return (reason) => {
    repeated += 1
    const now = performance.now()
    if (now - reportedAt < EVERY_MS) return
    report({ reason, repeated })
    repeated = 0
    reportedAt = now
  }
}
