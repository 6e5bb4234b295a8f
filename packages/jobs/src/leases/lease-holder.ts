import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { type LeaseTable, localExpiry, type RowLease } from './lease-table.ts'
import { whileLeased } from './while-leased.ts'

/** `name`: of the row. `signal`: the process wants an end. */
export type Holder = Readonly<{ leases: LeaseTable; pool: Pool; name: string; signal: AbortSignal }>

/** The lease of one process on a row that it acts for again and again. */
export type LeaseHolder = Readonly<{
  /**
   * Runs the work while the lease is renewed (`whileLeased`), and keeps the lease afterwards: the process that worked last works next, unless it is gone.
   * Returns false where another process has it.
   */
  act: (work: (lease: RowLease, ending: AbortSignal) => Promise<void>) => Promise<boolean>
  /** Another process can act at once. If that fails, the lease ends by itself. */
  release: () => Promise<void>
}>

export function leaseHolder({ leases, pool, name, signal }: Holder): LeaseHolder {
  const owner = randomUUID()
  let owned: RowLease | null = null
  /** The end of the lease by this process's count; unknown after work that failed, because the lease may be lost. */
  let leasedUntil = Number.NEGATIVE_INFINITY

  /** A lease with more than half of its time left is not acquired again: a renewal comes before its end. */
  const acquire = async (): Promise<RowLease | null> => {
    const now = performance.now()
    if (owned !== null && leasedUntil - now > leases.leaseMs / 2) return owned
    owned = await leases.acquire(pool, name, owner)
    leasedUntil = localExpiry(now, leases.leaseMs)
    return owned
  }

  return {
    act: async (work) => {
      const lease = await acquire()
      if (lease === null) return false
      // The stop did not see the lease that it was to release.
      if (signal.aborted) await leases.release(pool, lease)
      else {
        const until = leasedUntil
        leasedUntil = Number.NEGATIVE_INFINITY
        await whileLeased({ leaseMs: leases.leaseMs, renew: () => leases.renew(pool, lease), signal }, (ending) => work(lease, ending))
        leasedUntil = until
      }
      return true
    },
    release: async () => {
      const lease = owned
      owned = null
      if (lease !== null) await leases.release(pool, lease).catch(() => undefined)
    },
  }
}
