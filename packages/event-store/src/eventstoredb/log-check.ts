import { Unavailable } from '../errors.ts'
import type { LastSeen } from '../last-seen.ts'
import { comparePositions, START } from '../port.ts'
import { readFailure } from './call-failure.ts'
import type { Connection, StreamsClient } from './connection.ts'
import { positionOf } from './decode-event.ts'
import { type ReadTimes, readOnce } from './patient-read.ts'
import { readAllRequest, readLastRequest } from './read-requests.ts'

/**
 * Whether the log is the one that was seen. It is looked at over the wire, and the answer holds for as long as a call stays open that was
 * opened before the look and on the same node: a server that loses its log ends its calls.
 */
export type LogCheck = Readonly<{
  /** Looks, unless a call that is open vouches for the log. Throws LogWentBack, or Unavailable where the log cannot be asked. */
  confirm: () => Promise<void>
  /**
   * Looks in any case, for a call that was opened over `stub`. Where that is still open afterwards and `vouch` is called, it vouches for the
   * log until the result is called. Throws Unavailable where the look went to another node.
   */
  look: (stub?: StreamsClient) => Promise<void>
  vouch: (stub: StreamsClient) => () => void
}>

type Options = Readonly<{ connection: Connection; lastSeen: LastSeen; closed: AbortSignal; times: ReadTimes }>

export const createLogCheck = (options: Options): LogCheck => {
  const { connection } = options
  const vouchers = new Set<Readonly<{ stub: StreamsClient }>>()
  const look: LogCheck['look'] = async (stub) => {
    try {
      await compare(options)
    } catch (error) {
      throw readFailure('$all', error).error
    }
    if (stub !== undefined && !connection.isCurrent(stub)) throw new Unavailable('another node of EventStoreDB leads now')
  }
  return {
    look,
    confirm: async () => {
      const isVouched = [...vouchers].some(({ stub }) => connection.isCurrent(stub))
      if (!isVouched) await look()
    },
    vouch: (stub) => {
      const voucher = { stub }
      vouchers.add(voucher)
      return () => void vouchers.delete(voucher)
    },
  }
}

const compare = async (options: Options): Promise<void> => {
  const { lastSeen } = options
  const seen = lastSeen.current()
  if (comparePositions(seen.position, START) === 0) return
  // The end first: what a server answers to a position behind its end, or between two of its events, is its own affair.
  const [last] = await readOnce(options, readLastRequest())
  if (last === undefined || comparePositions(positionOf(last), seen.position) < 0) throw lastSeen.missing(seen)
  if (seen.event !== null) {
    const [there] = await readOnce(options, readAllRequest(seen.event.position, 1))
    if (there?.getId()?.getString() !== seen.event.id) throw lastSeen.missing(seen)
  }
  lastSeen.confirmed()
}
