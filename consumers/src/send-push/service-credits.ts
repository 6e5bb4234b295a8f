/** An answer that took longer is slow. */
const SLOW_MS = 1_000
const MAX_SERVICES = 1_000

/** Counts the slots that each push service (origin) may take after its last answers, in this process. */
export type ServiceCredits = Readonly<{
  of: (origin: string) => number
  note: (origin: string, ms: number) => void
}>

/**
 * One more slot for each quick answer, up to `most`, and half of them for each slow one: what a service has taken and stalls it has earned before, and loses
 * at once. Those heard of last are remembered.
 */
export function createServiceCredits(most: number): ServiceCredits {
  const credits = new Map<string, number>()
  return {
    of: (origin) => credits.get(origin) ?? 0,
    note: (origin, ms) => {
      const before = credits.get(origin) ?? 0
      credits.delete(origin)
      credits.set(origin, ms > SLOW_MS ? Math.floor(before / 2) : Math.min(before + 1, most))
      for (const [oldest] of credits) {
        if (credits.size <= MAX_SERVICES) break
        credits.delete(oldest)
      }
    },
  }
}
