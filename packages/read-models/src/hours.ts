const HOUR_MS = 3_600_000

/** The hour of a moment, counted since 1970 in UTC: what rows of figures are kept by. */
export function hourOf(at: string): number {
  return Math.floor(Date.parse(at) / HOUR_MS)
}

/** When an hour of `hourOf` begins, in milliseconds since 1970. */
export function hourStart(hour: number): number {
  return hour * HOUR_MS
}
