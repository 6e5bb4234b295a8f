import type { Pool } from 'pg'
import { type Lease, LeaseLost } from './job.ts'
import { keepLease } from './keep-lease.ts'
import type { Claimed } from './turn.ts'

/** What network and clocks may cost between the server's count of the lease and ours. */
const MARGIN_MS = 1_000

export type LeaseTerms = Readonly<{ pool: Pool; kind: string; leaseMs: number; askedAt: number }>

export type ClaimedLease = Lease &
  Readonly<{
    /** The claim under which the job is held now. */
    claim: () => Claimed
    /** This process claimed the job again while it is at work: the lease goes on under the new claim. */
    adopt: (again: Claimed, askedAt: number) => void
  }>

/**
 * `askedAt` (performance.now) is from before the claim was sent, so our count of the lease ends before the server's.
 * Renewing costs a statement and happens only when a job waited long in this process.
 */
export function leaseOn(job: Claimed, { pool, kind, leaseMs, askedAt }: LeaseTerms): ClaimedLease {
  let claim = job
  let until = askedAt + leaseMs - MARGIN_MS
  const renew = async (ms: number): Promise<void> => {
    const asked = performance.now()
    const forMs = Math.max(leaseMs, ms + 2 * MARGIN_MS)
    const { lane, seq, token } = claim
    const renewed = await pool.query({
      name: 'inbox-renew',
      text: `update inbox.job set due_at = clock_timestamp() + $5::bigint * interval '1 millisecond'
          where kind = $1 and lane = $2 and seq = $3 and token = $4`,
      values: [kind, lane, seq, token, forMs],
    })
    if (claim.token !== token) return ensure(ms)
    if (renewed.rowCount === 0) throw new LeaseLost(`job ${lane}/${seq} belongs to another worker`)
    until = asked + forMs - MARGIN_MS
  }
  const ensure = (ms: number) => (performance.now() + ms <= until ? undefined : renew(ms))
  return {
    ensure,
    keep: () => keepLease(ensure, leaseMs),
    claim: () => claim,
    adopt: (again, at) => {
      claim = again
      until = at + leaseMs - MARGIN_MS
    },
  }
}
