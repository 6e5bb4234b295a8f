import { Unavailable } from '../errors.ts'
import type { LastSeen } from '../last-seen.ts'
import { comparePositions, START } from '../port.ts'
import { readFailure } from './call-failure.ts'
import type { Connection, StreamsClient } from './connection.ts'
import { readAllRequest, readLastRequest } from './read-requests.ts'
import { type ReadTimes, readOnce } from './read-with-retries.ts'

/**
 * Checks that the log is the one that this process has seen. The check asks the server. It stays valid while a call is open that was opened
 * before it on the same node, because a server that loses its log ends its calls.
 */
export type LogCheck = Readonly<{
  /** Checks, unless a trusted call is open. Throws LogWentBack, or Unavailable where the log cannot be read. */
  confirm: () => Promise<void>
  /**
   * Checks in any case, for a call that was opened over `stub`. If that call is still open afterwards, `trustWhileOpen` makes `confirm`
   * trust it until the result is called. Throws Unavailable where the check went to another node.
   */
  look: (stub?: StreamsClient) => Promise<void>
  trustWhileOpen: (stub: StreamsClient) => () => void
}>

type Options = Readonly<{ connection: Connection; lastSeen: LastSeen; closed: AbortSignal; times: ReadTimes }>

export function createLogCheck(options: Options): LogCheck {
  const { connection } = options
  const openCalls = new Set<Readonly<{ stub: StreamsClient }>>()
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
      const isKnown = [...openCalls].some(({ stub }) => connection.isCurrent(stub))
      if (!isKnown) await look()
    },
    trustWhileOpen: (stub) => {
      const openCall = { stub }
      openCalls.add(openCall)
      return () => void openCalls.delete(openCall)
    },
  }
}

const compare = async (options: Options): Promise<void> => {
  const { lastSeen } = options
  const seen = lastSeen.current()
  if (comparePositions(seen.position, START) === 0) return
  // The end first: what a server answers to a position after its end, or between two of its events, is not specified.
  const [last] = await readOnce(options, readLastRequest())
  if (last === undefined || comparePositions(last.event.position, seen.position) < 0) throw lastSeen.missing(seen)
  if (seen.event !== null) {
    const [there] = await readOnce(options, readAllRequest(seen.event.position, 1))
    if (there?.event.id !== seen.event.id) throw lastSeen.missing(seen)
  }
  lastSeen.confirmed()
}
