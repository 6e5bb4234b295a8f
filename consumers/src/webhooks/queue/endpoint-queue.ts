import type { EndpointId } from '@tidings/domain'
import type { Delivery } from './statements.ts'

/** A queue that this process has leased. `expiresAt`: the end of its lease by this process's count (performance.now). */
export type EndpointQueue = {
  readonly endpointId: EndpointId
  readonly ready: Delivery[]
  expiresAt: number
  /** Deliveries that run. */
  running: number
  /** More deliveries may wait than were taken. */
  owes: boolean
  /** The last first attempt that was claimed. */
  after: bigint
  /** The last time at which the queue had work. */
  busyAt: number
  /** The milliseconds that the last answer took, or did not come; null before the first. */
  lastMs: number | null
}

export function newQueue(endpointId: EndpointId, expiresAt: number): EndpointQueue {
  return { endpointId, ready: [], expiresAt, running: 0, owes: false, after: 0n, busyAt: performance.now(), lastMs: null }
}

/** Deliveries to one endpoint at once: the contract says nothing, and more would look like an attack. */
const AT_ONCE = 16
/** A receiver that is slow, or has not answered yet, gets so few while slots are scarce. */
const AT_ONCE_WHEN_SLOW = 2
const SLOW_MS = 1_000
/**
 * From this share of all slots on they are scarce; what lies beyond `RESERVED` is kept from receivers that are known to be slow, and beyond
 * `RESERVED_FOR_QUICK` from all that are not known to be quick: as many that have not answered yet may never answer.
 */
export const SCARCE = 0.5
const RESERVED = 0.9
const RESERVED_FOR_QUICK = 0.95

const isQuick = (lastMs: number | null): boolean => lastMs !== null && lastMs <= SLOW_MS

/** Whether the queue only waits: its receiver is not known to be quick, and nothing runs. */
export function isStuck({ lastMs, running }: EndpointQueue): boolean {
  return running === 0 && !isQuick(lastMs)
}

/** Counts how many more of this queue may run. `load`: the share of all slots that is taken. */
export function slotsOf({ lastMs, running }: EndpointQueue, load: number): number {
  if (load < SCARCE || isQuick(lastMs)) return AT_ONCE - running
  return load >= (lastMs === null ? RESERVED_FOR_QUICK : RESERVED) ? 0 : AT_ONCE_WHEN_SLOW - running
}

const READY_OF_FEW = 128
const READY_OF_MANY = 16
const MANY = 256

/** Deliveries to claim ahead of each queue when so many queues are leased: about 32 000 in all, at most. */
export function readyOf(queues: number): number {
  return queues > MANY ? READY_OF_MANY : READY_OF_FEW
}

/** Counts how many more are worth claiming; none while there is enough, which saves a read. */
export function roomOf({ ready }: EndpointQueue, wanted: number): number {
  return ready.length > wanted / 2 ? 0 : wanted - ready.length
}
