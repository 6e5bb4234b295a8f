import type { Pool } from 'pg'
import type { Delivery, Settled } from './statements.ts'

/** What became of a delivery, and how long its receiver took. `restMs`: for so long nothing of its endpoint is worth a try. */
export type Outcome = Pick<Settled, 'again' | 'attempt'> & Readonly<{ ms: number; restMs?: number }>

/** `places`: deliveries at work at once, of all endpoints. `callMs`: the longest that one may take; the lease must outlive it. */
export type QueuesOptions = Readonly<{
  pool: Pool
  work: (delivery: Delivery, signal: AbortSignal) => Promise<Outcome>
  callMs: number
  /** Hears what was taken before any of it is worked on. */
  prepare?: (taken: readonly Delivery[]) => Promise<void>
  places?: number
  leaseMs?: number
  pollMs?: number
  onFault?: (error: unknown) => void
}>

export type RunningQueues = Readonly<{
  /** Something was admitted. */
  wake: () => void
  /** Takes nothing more and lets what has begun finish for `graceMs`, then aborts it; what is left comes again elsewhere. */
  stop: (graceMs?: number) => Promise<void>
  /** `held`: deliveries that are ready or at work here. */
  load: () => Readonly<{ queues: number; held: number; running: number }>
}>
