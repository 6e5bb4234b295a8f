/**
 * Work to be done once. `lane` names what must keep its order; `seq` orders jobs inside a lane and, with the lane, is the job's identity
 * (the position of the event that caused it). `payload` is a short reference, never content.
 */
export type NewJob = Readonly<{ workspaceId: string; lane: string; seq: bigint; payload: string }>

/**
 * A job in a worker's hands. `attempt` counts the finished ones, so the first try sees 0. `takenOver`: the lease of another worker ran out,
 * and nobody knows how far that worker came, nor whether it is at work still.
 */
export type Job = Readonly<{ workspaceId: string; seq: bigint; attempt: number; payload: string; takenOver: boolean }>

/** Try again in `inMs` by the database's clock. `counts: false` when nothing was tried (shutdown, a dependency away). */
export type Again = Readonly<{ inMs: number; counts: boolean; reason: string }>

export type Verdict = 'done' | Again

/** The worker's right to a job. */
export type Lease = Readonly<{
  /**
   * Undefined while the job is surely still ours for `ms` from now; otherwise a promise that resolves when it has been renewed for them, and
   * rejects with `LeaseLost` when it is somebody else's.
   */
  ensure: (ms: number) => Promise<void> | undefined
  /** Renews the lease in the background until `end`, however long that takes; a renewal that fails is tried again. */
  keep: () => KeptLease
}>

/** `lost`: a renewal found that the job is somebody else's. */
export type KeptLease = Readonly<{ lost: () => boolean; end: () => void }>

/** Somebody else has the job now: stop without a trace. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

/** Another try would do harm: the job is set aside at once, as a dead letter. */
export class Unrecoverable extends Error {
  override readonly name = 'Unrecoverable'
}
