const QUARTER_MS = 900_000
const QUARTERS = ['q1', 'q2', 'q3', 'q4'] as const

/** The hour of a moment, counted since 1970 in UTC, and the column of its quarter: what rows of figures are kept by. */
export function hourOf(at: string): Readonly<{ hour: number; quarter: (typeof QUARTERS)[number] }> {
  const quarters = quartersOf(Date.parse(at))
  const hour = Math.floor(quarters / 4)
  return { hour, quarter: QUARTERS[quarters - 4 * hour] ?? 'q1' }
}

/** The quarter hours since 1970 of a moment in milliseconds. */
export function quartersOf(ms: number): number {
  return Math.floor(ms / QUARTER_MS)
}

/** When such a quarter begins, in milliseconds. */
export function quarterStart(quarter: number): number {
  return quarter * QUARTER_MS
}
