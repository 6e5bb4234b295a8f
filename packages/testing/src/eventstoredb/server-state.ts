import type { Faults } from './faults.ts'
import type { Log } from './log.ts'
import type { Tail } from './tail.ts'

/** A call that the test can end, fail, or that a shutdown must end. */
type OpenCall = Readonly<{ end: () => void; emit: (event: 'error', error: Error) => boolean }>

/** How often each way of appending was taken, and how many reads and subscriptions there were. */
export type Calls = { batchAppends: number; unaryAppends: number; reads: number; subscriptions: number }

/** What the handlers of one running server share. The log and the faults outlive a restart, the calls do not. */
export type ServerState = {
  /** What this node shows. */
  log: Log
  /** What it has written beyond that while it had no majority. */
  tail: Tail | undefined
} & Readonly<{
  faults: Faults
  /** The server's clock, in ms since 1970, with the fault's offset. */
  now: () => number
  maxAppendSize: number
  subscriptions: Set<OpenCall>
  calls: Calls
  /** Resets every connection, as a cut proxy does. */
  dropConnections: () => void
  /** The address of this node in gossip. */
  port: () => number
}>
