import { type KeptLease, type Lease, LeaseLost } from './job.ts'

/**
 * Looks at the lease three times in its length, and renews it before the last third begins: two renewals may fail before it runs out.
 * A renewal that found the lease over but nobody else's makes it good again.
 */
export function keepLease(ensure: Lease['ensure'], leaseMs: number): KeptLease {
  const beatMs = leaseMs / 3
  let lost = false
  let renewing = false
  const beat = async (): Promise<void> => {
    if (renewing) return
    renewing = true
    try {
      await ensure(2 * beatMs)
      lost = false
    } catch (error) {
      // Anything else is a database that is away: the next beat asks again. A lost job may be claimed again by its own process.
      if (error instanceof LeaseLost) lost = true
    } finally {
      renewing = false
    }
  }
  const timer = setInterval(() => void beat(), beatMs)
  void beat()
  return { lost: () => lost, end: () => clearInterval(timer) }
}
