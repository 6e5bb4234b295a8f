import { startTicker } from '@tidings/async'
import type { Pool } from 'pg'
import type { KeptLease, Lease } from './job.ts'
import { Fenced, localExpiry } from './leases/lease-table.ts'
import type { Claimed } from './settle-and-claim.ts'

/** A renewal asks for so much more than is needed, for what network and clocks cost. */
const RENEWAL_MARGIN_MS = 2_000

/** `askedAt`: performance.now() from before the claim was sent. */
export type LeaseTerms = Readonly<{ pool: Pool; kind: string; leaseMs: number; askedAt: number }>

/**
 * The lease of a claimed job. Renewing it costs a statement and happens only when a job has waited long in this process, or takes long.
 * The claim's token is its fencing token: it is new with each claim, and a renewal or a settlement under an older one changes nothing.
 */
export class JobLease implements Lease {
  readonly #terms: Omit<LeaseTerms, 'askedAt'>
  #claim: Claimed
  #expiresAt: number

  constructor(claim: Claimed, { askedAt, ...terms }: LeaseTerms) {
    this.#terms = terms
    this.#claim = claim
    this.#expiresAt = localExpiry(askedAt, terms.leaseMs)
  }

  /** The claim under which the job is leased now. */
  get claim(): Claimed {
    return this.#claim
  }

  /** This process has claimed the job again while it runs: the lease goes on under the new claim. */
  adopt(claim: Claimed, askedAt: number): void {
    this.#claim = claim
    this.#expiresAt = localExpiry(askedAt, this.#terms.leaseMs)
  }

  ensure(ms: number): Promise<void> | undefined {
    return this.#lasts(ms) ? undefined : this.#renew(ms)
  }

  /**
   * Looks at the lease three times in its length, and renews it before the last third begins: two renewals may fail before it expires.
   * A renewal also succeeds after the expiry, while no other worker has claimed the job.
   */
  keep(): KeptLease {
    const everyMs = this.#terms.leaseMs / 3
    let lost = false
    const ticker = startTicker(everyMs, async () => {
      try {
        await this.ensure(2 * everyMs)
        lost = false
      } catch (error) {
        // Anything else means that the database is away: the next tick tries again. This process may claim a lost job again.
        if (error instanceof Fenced) lost = true
      }
    })
    if (!this.#lasts(2 * everyMs)) ticker.tickNow()
    return { lost: () => lost, end: ticker.stop }
  }

  #lasts(ms: number): boolean {
    return performance.now() + ms <= this.#expiresAt
  }

  async #renew(ms: number): Promise<void> {
    const { pool, kind, leaseMs } = this.#terms
    const { lane, seq, token } = this.#claim
    const askedAt = performance.now()
    const forMs = Math.max(leaseMs, ms + RENEWAL_MARGIN_MS)
    const { rows } = await pool.query<{ renewed: boolean }>({
      name: 'inbox-renew',
      text: 'select inbox.renew($1, $2, $3, $4, $5) as renewed',
      values: [kind, lane, seq, token, forMs],
    })
    if (this.#claim.token !== token) return this.ensure(ms)
    if (rows[0]?.renewed !== true) throw new Fenced(`job ${lane}/${seq} belongs to another worker`)
    this.#expiresAt = localExpiry(askedAt, forMs)
  }
}
