import { setTimeout as sleep } from 'node:timers/promises'
import { RoundRobin } from '@tidings/async'
import type { WorkspaceId } from '@tidings/domain'
import { isRetryable } from '@tidings/postgres'
import type { ClientBase, Pool } from 'pg'
import { type AdmissionCall, type Admitted, admissionCall, admittedOf, runAdmission } from './admit.ts'
import { Bundles } from './bundles.ts'
import { moveToDeadLetter } from './dead-letters.ts'
import { type Deferral, Fenced, type Job, type Lease, type NewJob, type OnJobFault, Unrecoverable, type Verdict } from './job.ts'
import { JobLease, type LeaseTerms } from './job-lease.ts'
import { type Claimed, idOf, type Settled, type Settlement, settleAndClaim } from './settle-and-claim.ts'
import type { Settlements, WorkQueue } from './work-loop.ts'
import { WorkspaceCounts } from './workspace-counts.ts'

/** A round settles and claims in one statement; waiting so long between rounds under load makes the statements fewer and fuller. */
const GAP_MS = 4
/**
 * Where every job is claimed as it is admitted, a round only settles: five jobs cost as much as fifty. A lane with a next job makes rounds
 * claim, at the shorter gap, unless claimed jobs wait to begin.
 */
const QUIET_GAP_MS = 20
const QUIET_AFTER_MS = 100

/** While ends of jobs alone begin rounds. */
const LOOK_MS = 1_000

/** Another process takes it at once. */
const GIVEN_BACK = { type: 'Deferred', counts: false, deferredFor: 'shutdown' } as const

/**
 * So many times the slots that one workspace gets where it is alone: half of all stay free for the next (M43). It may have at most as many as are
 * free, so that of n workspaces with work each gets one part of n + 1, and one that comes always finds some.
 */
export const SLOTS_PER_CONCURRENCY = 2

/**
 * `concurrency`: jobs of a workspace that run at once where no other has any; twice as many of all together. `leaseMs`: how long a claimed job is leased before others may claim it, which is also how long the jobs
 * of a killed process wait. `pollMs`: how late work may be noticed that no `wake` announced.
 * `isPaused`: while it is true no job is claimed; running jobs go on (asked at least every `pollMs`, and every second while a job is due).
 * `bundles`: what an admission claims is one row, until it is done or some of it must wait; for jobs that take some milliseconds.
 * `work` answers what became of the job. A throw is a fault, not an outcome: tried again after `faultDelaysMs`, then a dead letter.
 */
export type LaneSettings = Readonly<{
  pool: Pool
  kind: string
  work: (job: Job, lease: Lease, signal: AbortSignal) => Promise<Verdict>
  concurrency: number
  leaseMs: number
  pollMs: number
  faultDelaysMs: readonly number[]
  isPaused?: () => boolean
  bundles?: boolean
  /** A round should begin. */
  onLate: () => void
  /** Jobs were put off; the first is due in so many milliseconds. */
  onPutOff: (ms: number) => void
  onFault?: OnJobFault
}>

/**
 * The jobs of one kind, one of each lane at a time. A claimed job is `#ready` until it begins, and `#leased` until it has ended. Claims at most
 * four times `concurrency`, which bounds the memory, and half of that of one workspace.
 */
export class LaneQueue implements WorkQueue<JobLease, Settlement> {
  readonly #settings: LaneSettings
  readonly #recent = new RecentSettlements()
  readonly #bundles: Bundles
  readonly #leased = new Map<string, JobLease>()
  /** Claimed jobs that have not begun: the workspaces in turn, the jobs of each in the order in which they were claimed. */
  readonly #ready = new RoundRobin<WorkspaceId, JobLease>()
  /** Claimed jobs, and those of them that run. */
  readonly #claimed = new WorkspaceCounts()
  readonly #running = new WorkspaceCounts()
  /** The workspace after which the next claim goes on. */
  #after: WorkspaceId | null = null
  /** Claimed by a transaction that has not ended; a rollback is found out at the next admission. */
  #offered = 0
  /** Jobs may wait to be claimed: what is admitted must not overtake them. */
  #behind = true
  #claimedAt = 0
  /** The last claim; before all time where one is to be made even if nothing is to be written. */
  #lookedAt = Number.NEGATIVE_INFINITY
  #draining = false

  constructor(settings: LaneSettings) {
    this.#settings = settings
    this.#bundles = new Bundles(settings.onLate)
  }

  /** The next round claims. */
  expectJobs(): void {
    this.#lookedAt = Number.NEGATIVE_INFINITY
  }

  load(): Readonly<{ running: number; waiting: number }> {
    return { running: this.#running.total, waiting: this.#ready.size }
  }

  pollMs(): number {
    return this.#settings.pollMs
  }

  gapMs(): number {
    const quiet = !this.#behind && !this.#draining && performance.now() - this.#claimedAt > QUIET_AFTER_MS
    return quiet || this.#hasPlenty() ? QUIET_GAP_MS : GAP_MS
  }

  async settleAndClaim(settlements: Settlements<Settlement>): Promise<boolean> {
    const isOfEnds = !settlements.isEmpty
    settlements.replace((settled) => this.#bundles.gather(settled))
    const limit = this.#room()
    if (settlements.isEmpty && (limit === 0 || (isOfEnds && !this.#mustLook()))) return false
    if (limit > 0) this.#lookedAt = performance.now()
    const terms = this.#terms()
    const has = this.#claimed.columns()
    const { claimed, after, more } = await settlements.flush(async (settled) => {
      const answer = await settleAndClaim(terms.pool, { ...terms, settled, limit, after: this.#after, has })
      this.#recent.add(settled)
      const putOff = settled.flatMap((one) => ('job' in one && one.again !== null ? [one.again.inMs] : []))
      if (putOff.length > 0) this.#settings.onPutOff(Math.min(...putOff))
      return answer
    })
    this.#after = after
    if (limit > 0) this.#behind = more || claimed.length === limit || after !== null
    if (claimed.length > 0) this.#claimedAt = performance.now()
    for (const job of claimed) this.#lease(job, terms)
    return claimed.length > 0 || after !== null
  }

  /** An admission of jobs that claims as many as there is room for. `committed` takes its value, keeps these, and says whether others wait to be claimed. */
  admission(jobs: readonly NewJob[]): Readonly<{ call: AdmissionCall; committed: (value: unknown) => boolean }> {
    const { call, keep } = this.#offer(jobs)
    return { call, committed: (value) => keep(admittedOf(value, jobs)) }
  }

  /** The same in a transaction that does more than that. */
  async admit(tx: ClientBase, jobs: readonly NewJob[]): Promise<Readonly<{ committed: () => boolean }>> {
    const { call, keep } = this.#offer(jobs)
    if (jobs.length === 0) return { committed: () => false }
    const admitted = await runAdmission(tx, call, jobs)
    this.#offered = admitted.claimed.length
    return { committed: () => keep(admitted) }
  }

  #offer(jobs: readonly NewJob[]): Readonly<{ call: AdmissionCall; keep: (admitted: Admitted) => boolean }> {
    this.#offered = 0
    const terms = this.#terms()
    const room = this.#behind ? 0 : this.#room()
    const { bundles: bundled = false } = this.#settings
    const keep = ({ added, claimed, unbundled }: Admitted): boolean => {
      this.#offered = 0
      for (const job of claimed) this.#lease(job, terms)
      for (const token of unbundled) this.#bundles.open(token)
      if (bundled) this.#bundles.add(claimed)
      if (claimed.length < added) this.#behind = true
      return claimed.length < added
    }
    return { call: admissionCall(terms.kind, jobs, { room, leaseMs: terms.leaseMs, has: this.#claimed.columns(), bundled }), keep }
  }

  next(): JobLease | undefined {
    const free = SLOTS_PER_CONCURRENCY * this.#settings.concurrency - this.#running.total
    const lease = this.#ready.take(({ claim }) => this.#running.of(claim.workspaceId) < free)
    if (lease !== undefined) this.#running.add(lease.claim.workspaceId, 1)
    return lease
  }

  async run(lease: JobLease, signal: AbortSignal): Promise<Settled | null> {
    const verdict = await this.#outcome(lease, signal)
    const job = lease.claim
    this.#running.add(job.workspaceId, -1)
    this.#release(job)
    if (verdict === 'lost') this.#bundles.open(job.token)
    return verdict === 'lost' ? null : { job, again: verdict === 'done' ? null : verdict }
  }

  /** A job that was taken over keeps its lease: the next worker must know that it takes it over. */
  drain(): readonly Settlement[] {
    this.#draining = true
    const bundled = this.#bundles.takeAll()
    const jobs = this.#ready.takeAll().map(({ claim }) => claim)
    for (const job of jobs) this.#release(job)
    const givenBack = jobs.filter(({ takenOver }) => !takenOver).map((job): Settled => ({ job, again: { ...GIVEN_BACK, inMs: 0 } }))
    return [...bundled, ...givenBack]
  }

  recover(): readonly Settlement[] {
    this.expectJobs()
    return this.#recent.takeAll()
  }

  /** So many claimed jobs wait to begin that none is missed before a longer gap is over. */
  #hasPlenty(): boolean {
    return !this.#draining && this.#ready.size >= this.#settings.concurrency / 2
  }

  /** Jobs may wait that no end of a job announces; the net below is looked at every second. */
  #mustLook(): boolean {
    return this.#behind || performance.now() - this.#lookedAt > Math.min(LOOK_MS, this.#settings.pollMs)
  }

  #room(): number {
    if (this.#draining || this.#settings.isPaused?.() === true) return 0
    return Math.max(0, 2 * SLOTS_PER_CONCURRENCY * this.#settings.concurrency - this.#leased.size - this.#offered)
  }

  #terms(): LeaseTerms {
    const { pool, kind, leaseMs } = this.#settings
    return { pool, kind, leaseMs, askedAt: performance.now() }
  }

  /** A lease can expire, and a crash of Postgres forget a claim, while the job runs: it goes on under the new claim. */
  #lease(job: Claimed, terms: LeaseTerms): void {
    const id = idOf(job)
    const leased = this.#leased.get(id)
    if (leased !== undefined) leased.adopt(job, terms.askedAt)
    else {
      const lease = new JobLease(job, terms)
      this.#leased.set(id, lease)
      this.#claimed.add(job.workspaceId, 1)
      this.#ready.add(job.workspaceId, lease)
    }
  }

  #release(job: Claimed): void {
    this.#leased.delete(idOf(job))
    this.#claimed.add(job.workspaceId, -1)
  }

  async #outcome(lease: JobLease, signal: AbortSignal): Promise<Verdict | 'lost'> {
    try {
      return await this.#settings.work(lease.claim, lease, signal)
    } catch (error) {
      if (error instanceof Fenced) return 'lost'
      if (signal.aborted) return { ...GIVEN_BACK, inMs: 0 }
      const became = await afterFault(this.#settings, lease.claim, error)
      if (became === 'lost') return 'lost'
      const { kind, onFault } = this.#settings
      if ('id' in became) {
        onFault?.(error, lease.claim, { kind, fate: 'dead letter', id: became.id })
        return 'lost'
      }
      onFault?.(error, lease.claim, { kind, fate: became.counts ? 'again' : 'waits', inMs: became.inMs })
      return became
    }
  }
}

/** The pause after a dead letter that could not be written. */
const RETRY_MS = 500

type FaultTerms = Readonly<{ pool: Pool; kind: string; faultDelaysMs: readonly number[] }>

/** What becomes of a job whose work threw: another try, or a dead letter of that id; `lost` where another worker has the job. */
async function afterFault(
  { pool, kind, faultDelaysMs }: FaultTerms,
  job: Claimed,
  error: unknown,
): Promise<Deferral | Readonly<{ id: string }> | 'lost'> {
  const said = error instanceof Error ? error.message : String(error)
  const uncounted: Deferral = { type: 'Deferred', inMs: 1_000, counts: false, deferredFor: 'dependency_away', error: said }
  if (isRetryable(error)) return uncounted
  const delay = error instanceof Unrecoverable ? undefined : faultDelaysMs[job.attempt]
  if (delay !== undefined) return { type: 'Deferred', inMs: delay, counts: true, deferredFor: 'fault', error: said }
  for (;;) {
    try {
      const id = await moveToDeadLetter(pool, kind, { job, error })
      return id === null ? 'lost' : { id }
    } catch {
      if (!(error instanceof Unrecoverable)) return uncounted
      // Given back, it would be tried again: it stays claimed until it is a dead letter.
      await sleep(RETRY_MS, undefined, { ref: false })
    }
  }
}

/** Rounds do not wait for the disk: a crash of Postgres forgets at most its last moments (three times `wal_writer_delay`, 0.2 s unless set otherwise). */
const FORGETTABLE_MS = 5_000

type SettledRound = Readonly<{ at: number; settled: readonly Settlement[] }>

/** The settlements of the last rounds, kept as long as a crash of Postgres may make it forget them. */
class RecentSettlements {
  #rounds: SettledRound[] = []

  add(settled: readonly Settlement[]): void {
    const at = performance.now()
    const kept = this.#rounds.findIndex((round) => round.at > at - FORGETTABLE_MS)
    this.#rounds.splice(0, kept === -1 ? this.#rounds.length : kept)
    if (settled.length > 0) this.#rounds.push({ at, settled })
  }

  /**
   * To be settled again after a fault, once: otherwise a job whose end was forgotten stays claimed until its lease ends. Where it was not
   * forgotten, its token is gone and nothing happens.
   */
  takeAll(): readonly Settlement[] {
    return this.#rounds.splice(0).flatMap(({ settled }) => settled)
  }
}
