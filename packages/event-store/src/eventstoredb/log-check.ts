import { Unavailable } from '../errors.ts'
import type { LastSeen } from '../last-seen.ts'
import { comparePositions, START } from '../port.ts'
import type { AppendCall } from './append-call.ts'
import { readFailure } from './call-failure.ts'
import type { Connection, StreamsClient } from './connection.ts'
import type { Recorded } from './decode-read.ts'
import type { streams } from './protobuf.ts'
import { readAllRequest, readLastRequest } from './read-requests.ts'
import { type ReadTimes, readOnce } from './read-with-retries.ts'

/**
 * Checks that the log is the one that this process has seen. The check asks the server. It stays valid while a call is open that was opened
 * before it on the same connection, because a server that loses its log ends its calls.
 */
export type LogCheck = Readonly<{
  /** Checks, unless a trusted call is open. Throws LogWentBack, or Unavailable where the log cannot be read. */
  confirm: () => Promise<void>
  /**
   * Checks in any case, for a call that was opened over `stub`, by reads over its channel or with `read`. If that call is still open afterwards,
   * `trustWhileOpen` makes `confirm` trust the channel until the result is called. Throws Unavailable where the check went to another node.
   */
  look: (stub?: StreamsClient, read?: AppendCall['read']) => Promise<void>
  trustWhileOpen: (stub: StreamsClient) => () => void
}>

type LogCheckOptions = Readonly<{ connection: Connection; lastSeen: LastSeen; closed: AbortSignal; times: ReadTimes }>

export function createLogCheck(options: LogCheckOptions): LogCheck {
  const { connection } = options
  const openCalls = new Set<Readonly<{ stub: StreamsClient }>>()
  const look: LogCheck['look'] = async (stub, read) => {
    try {
      await compare(options.lastSeen, read === undefined ? (request) => readOnce(options, request) : inTime(options, read))
    } catch (error) {
      if (stub !== undefined) connection.failed(stub, error)
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

type Read = (request: streams.ReadReq) => Promise<Recorded[]>

const inTime =
  ({ closed, times }: LogCheckOptions, read: AppendCall['read']): Read =>
  async (request) => {
    const late = AbortSignal.timeout(times.silenceMs)
    try {
      return await read(request, AbortSignal.any([late, closed]))
    } catch (error) {
      throw late.aborted ? new Unavailable(`EventStoreDB said nothing for ${times.silenceMs} ms`) : error
    }
  }

const compare = async (lastSeen: LastSeen, read: Read): Promise<void> => {
  const seen = lastSeen.current()
  if (comparePositions(seen.position, START) === 0) return
  // The end first: what a server answers to a position after its end, or between two of its events, is not specified.
  const [last] = await read(readLastRequest())
  if (last === undefined || comparePositions(last.event.position, seen.position) < 0) throw lastSeen.missing(seen)
  if (seen.event !== null) {
    const [there] = await read(readAllRequest(seen.event.position, 1))
    if (there?.event.id !== seen.event.id) throw lastSeen.missing(seen)
  }
  lastSeen.confirmed()
}
