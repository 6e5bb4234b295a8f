import type { Delivery } from './statements.ts'

/** What a process knows of a queue that it holds. `until`: of its lease, by our count (performance.now), which ends before the server's. */
export type HeldQueue = {
  readonly endpointId: string
  readonly ready: Delivery[]
  until: number
  /** Deliveries at work. */
  running: number
  /** The last first try that was taken. */
  after: bigint
  /** When there was work last. */
  busyAt: number
  /** How long the last answer took, or did not come. */
  lastMs: number
}

export const newQueue = (endpointId: string, until: number): HeldQueue => ({
  endpointId,
  ready: [],
  until,
  running: 0,
  after: 0n,
  busyAt: performance.now(),
  lastMs: 0,
})

/** Deliveries to one endpoint at once (contract leaves it open; more would look like an attack). */
const AT_ONCE = 16
/** A receiver that is slow while many are at work gets so few: it must not take the places of the others. */
const AT_ONCE_WHEN_SLOW = 2
const SLOW_MS = 1_000
const READY_PER_QUEUE = 64

/** How many more of this queue may be at work. `crowded`: half of all places are taken. */
export const placesOf = ({ lastMs, running }: HeldQueue, crowded: boolean): number =>
  (crowded && lastMs > SLOW_MS ? AT_ONCE_WHEN_SLOW : AT_ONCE) - running

/** How many more are worth having at hand; none to save a look while there is enough. */
export const roomOf = ({ ready }: HeldQueue): number => (ready.length > READY_PER_QUEUE / 2 ? 0 : READY_PER_QUEUE - ready.length)

/** At hand of a queue that is held anew. */
export const NEW_ROOM = READY_PER_QUEUE
