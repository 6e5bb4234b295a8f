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
  /** How long the last answer took, or did not come; null before the first. */
  lastMs: number | null
}

export const newQueue = (endpointId: string, until: number): HeldQueue => ({
  endpointId,
  ready: [],
  until,
  running: 0,
  after: 0n,
  busyAt: performance.now(),
  lastMs: null,
})

/** Deliveries to one endpoint at once: the contract says nothing, and more would look like an attack. */
const AT_ONCE = 16
/** A receiver that is slow, or has not answered yet, gets so few while places are scarce. */
const AT_ONCE_WHEN_SLOW = 2
const SLOW_MS = 1_000
/** Of all places: from here on they are scarce; and what lies beyond is kept from receivers that are known to be slow. */
export const SCARCE = 0.5
const RESERVED = 0.9

/** How many more of this queue may be at work. `load`: the share of all places that is taken. */
export const placesOf = ({ lastMs, running }: HeldQueue, load: number): number => {
  if (load < SCARCE || (lastMs !== null && lastMs <= SLOW_MS)) return AT_ONCE - running
  return lastMs !== null && load >= RESERVED ? 0 : AT_ONCE_WHEN_SLOW - running
}

const READY_OF_FEW = 128
const READY_OF_MANY = 16
const MANY = 256

/** Deliveries to have at hand of each queue when so many are held: about 32 000 in all, at most. */
export const readyOf = (queues: number): number => (queues > MANY ? READY_OF_MANY : READY_OF_FEW)

/** How many more are worth having at hand; none to save a look while there is enough. */
export const roomOf = ({ ready }: HeldQueue, wanted: number): number => (ready.length > wanted / 2 ? 0 : wanted - ready.length)
