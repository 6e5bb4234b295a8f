/**
 * Work to be done once. `lane` names what must keep its order; `seq` orders jobs inside a lane and, with the lane, is the job's identity
 * (the position of the event that caused it). `payload` is a short reference, never content.
 */
export type NewJob = Readonly<{ workspaceId: string; lane: string; seq: bigint; payload: string }>

/** A job in a worker's hands. `attempt` counts the finished ones, so the first try sees 0. */
export type Job = Readonly<{ workspaceId: string; seq: bigint; attempt: number; payload: string }>

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
}>

/** Somebody else has the job now: stop without a trace. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}
