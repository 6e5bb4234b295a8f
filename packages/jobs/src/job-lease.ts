import { createBatchLoader, startTicker, weakMemo } from '@tidings/async'
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

  async markTarget(target: string): Promise<void> {
    const { pool, kind } = this.#terms
    const { lane, seq, token } = this.#claim
    const marking = { kind, lane, seq: String(seq), token, target }
    const isOurs = await markTogether(pool)(marking)
    if (this.#claim.token !== token) return this.markTarget(target)
    if (!isOurs) throw new Fenced(`job ${lane}/${seq} belongs to another worker`)
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

type Marking = Readonly<{ kind: string; lane: string; seq: string; token: string; target: string }>

/** Commits as the pool does: it waits for the disk, unlike a claim. */
const MARK_TARGETS = `select kind, lane::text, seq::text from inbox.mark_targets($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[])`

type MarkedRow = Readonly<{ kind: string; lane: string; seq: string }>

async function markAll(pool: Pool, asked: readonly Marking[]): Promise<readonly MarkedRow[]> {
  const columns = [
    asked.map(({ kind }) => kind),
    asked.map(({ lane }) => lane),
    asked.map(({ seq }) => seq),
    asked.map(({ token }) => token),
    asked.map(({ target }) => target),
  ]
  return (await pool.query<MarkedRow>({ name: 'inbox-mark-targets', text: MARK_TARGETS, values: columns })).rows
}

const hasMarked = (rows: readonly MarkedRow[], { kind, lane, seq }: Marking): boolean =>
  rows.some((row) => row.kind === kind && row.lane === lane && row.seq === seq)

const MAX_MARKS = 1_000

/** Waits for a statement however late it is: one that was given up, and is executed after the next, would put down the provider before the last. */
const markTogether = weakMemo((pool: Pool) =>
  createBatchLoader({ maxKeys: MAX_MARKS, load: (asked: readonly Marking[]) => markAll(pool, asked), pick: hasMarked }),
)
