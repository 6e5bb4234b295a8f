import type { WorkspaceId } from '@tidings/domain'

export { Fenced } from './leases/lease-table.ts'

/**
 * Work to be done once. `lane` names what must keep its order; `seq` orders jobs inside a lane and, with the lane, is the job's identity
 * (the position of the event that caused it). `payload` is a short reference, never content.
 */
export type NewJob = Readonly<{ workspaceId: WorkspaceId; lane: string; seq: bigint; payload: string }>

/**
 * A claimed job. `attempt` counts the finished attempts, so the first sees 0. `takenOver`: the lease of another worker expired; how far that
 * worker came is not known, nor whether it still runs. `claimedBefore`: a worker had it before, also where that counted as no attempt, and may
 * have recorded something about it; so it is for a job that was tried, put off, taken over or requeued. `handedTo`: where an earlier worker may have
 * handed it over, and has not said that it did not.
 */
export type Job = Readonly<{
  workspaceId: WorkspaceId
  seq: bigint
  attempt: number
  payload: string
  takenOver: boolean
  claimedBefore: boolean
  handedTo?: string
}>

/** What a job may wait for that was put off; the check of `inbox.job.deferred_for` lists the same. docs/reference/waits.md has what each means. */
export const DEFERRED_FOR = [
  'retry',
  'fault',
  'dependency_away',
  'shutdown',
  'taken_over',
  'outcome_unrecorded',
  'answer_missing',
  'provider_outage',
  'own_provider_outage',
  'workspace_suspended',
  'quiet_hours',
  'campaign_paused',
  'flow_paused',
  'read_side_behind',
  'address_changed',
  'browsers_changed',
  'no_free_slot',
  'wallet_busy',
  'mailbox_capped',
  'due_time',
  'next_pass',
] as const

export type DeferredFor = (typeof DEFERRED_FOR)[number]

/**
 * A job that is put off: due again in `inMs` by the database's clock, for `deferredFor` and, where that is a matter of one, of the campaign or flow
 * `deferredBy`. `counts: false` when nothing was tried (shutdown, a dependency away). `isAside`: later first attempts of its lane need not wait for it.
 * `error`: text for people. `wasNotHandedOver`: it surely was not, or it was refused, so that what `markTarget` put down is over.
 */
export type Deferral = Readonly<{
  type: 'Deferred'
  inMs: number
  counts: boolean
  deferredFor: DeferredFor
  deferredBy?: string
  isAside?: boolean
  error?: string
  wasNotHandedOver?: boolean
}>

export type Verdict = 'done' | Deferral

/**
 * What became of a job whose work threw: tried again after `inMs`, tried again without using up a try because the log or the database was away, or
 * a dead letter.
 */
type Became = Readonly<{ kind: string; fate: 'again' | 'waits'; inMs: number } | { kind: string; fate: 'dead letter'; id: string }>

/** `job` and `became` are null where a round of the loop failed, and not the work of a job. */
export type OnJobFault = (error: unknown, job: Job | null, became: Became | null) => void

/** The worker's right to a job. */
export type Lease = Readonly<{
  /**
   * Undefined while the lease surely lasts for `ms` from now; otherwise a promise that resolves when it has been renewed for them, and
   * rejects with `Fenced` when another worker has the job: stop then, and write nothing.
   */
  ensure: (ms: number) => Promise<void> | undefined
  /** Renews the lease in the background until `end`, however long that takes; a renewal that fails is tried again. */
  keep: () => KeptLease
  /**
   * Puts down where the job is about to be handed over, durably: the worker that has it after a kill finds it as `handedTo`. Rejects with `Fenced` when another
   * worker has the job. Calls of one turn of the event loop are one statement.
   */
  markTarget: (target: string) => Promise<void>
}>

/** `lost`: a renewal found that another worker has the job. */
export type KeptLease = Readonly<{ lost: () => boolean; end: () => void }>

/** Another attempt would do harm: the job becomes a dead letter at once. */
export class Unrecoverable extends Error {
  override readonly name = 'Unrecoverable'
}
