import { CancelledError, convertToCommandError, UnavailableError } from '@eventstore/db-client'
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js'
import { type CallOptions, Metadata, status } from '@grpc/grpc-js'
import { type AppendCall, openAppendCall } from './append-call.ts'
import { failureOf } from './call-failure.ts'
import { ending } from './grpc-wire.ts'
import { type NodeKind, serverAccess } from './server-access.ts'

export type { StreamsClient }

/** A connection finds the node that leads, and finds it again; or one that follows. */
export type Connection = Readonly<{
  /** A stub over the present channel. Rejects where no node can be found. */
  streams: () => Promise<StreamsClient>
  /** Whether calls still go to the node of this stub. */
  isCurrent: (stub: StreamsClient) => boolean
  /**
   * Metadata and options of a call: connection name, credentials, and a deadline unless the call has none. Every call asks for the
   * leader, reads too: a follower may lack the newest events, which a repeated decision needs, and redirects us to the leader. A connection to
   * a follower does not ask.
   */
  call: (deadlineMs: number | 'no deadline') => [Metadata, CallOptions]
  /** Opens a call for appends to the node of `stub`, over a connection of its own. Resolves once that connection is there. */
  appends: (stub: StreamsClient) => Promise<AppendCall>
  /** Says how a call over `stub` failed; the channel is replaced where that helps. */
  failed: (stub: StreamsClient, error: unknown) => void
  /** Replaces the channel of a node that has gone silent. */
  reconnect: (stub: StreamsClient) => void
  close: () => void
}>

/** A node that was cut off from its cluster always answers so; another node may know the leader. */
export const NO_LEADER = 'No leader info'

/** The next channel goes to the leader that a follower named, or to one that is found elsewhere than at `failed`. */
type NextNode = Readonly<{ leader: string } | { failed: string | null }>
type Node = Readonly<{ stub: StreamsClient; name: string }>

export function createConnection(connectionString: string, node: NodeKind = 'leader'): Connection {
  const access = serverAccess(connectionString, node)
  let next: NextNode = { failed: null }
  let current: Node | undefined
  let opening: Promise<StreamsClient> | undefined
  const open = async (): Promise<StreamsClient> => {
    const wanted = next
    next = { failed: null }
    const name = 'leader' in wanted ? wanted.leader : await access.find(wanted.failed)
    const stub = new StreamsClient(name, access.channelCredentials, access.channelOptions)
    current = { stub, name }
    return stub
  }
  const replace = (stub: StreamsClient, then: (node: Node) => NextNode): void => {
    if (current?.stub !== stub) return
    next = then(current)
    current = undefined
    opening = undefined
    stub.close()
  }
  return {
    streams: () => {
      opening ??= open().catch((error) => {
        opening = undefined
        throw error
      })
      return opening
    },
    isCurrent: (stub) => stub === current?.stub,
    call: (deadlineMs) => {
      const deadline = deadlineMs === 'no deadline' ? Number.POSITIVE_INFINITY : Date.now() + deadlineMs
      return [metadataOf(access.headers), { deadline }]
    },
    appends: async (stub) => {
      if (current?.stub !== stub) throw ending(status.UNAVAILABLE, 'another node of EventStoreDB leads now')
      return openAppendCall(current.name, access)
    },
    failed: (stub, error) => {
      const leader = lostNode(error)
      if (leader !== null) replace(stub, ({ name }) => (leader === 'unknown' ? { failed: name } : { leader }))
    },
    reconnect: (stub) => replace(stub, ({ name }) => ({ failed: name })),
    close: () => current?.stub.close(),
  }
}

const metadataOf = (headers: Readonly<Record<string, string>>): Metadata => {
  const metadata = new Metadata()
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value)
  return metadata
}

/** Gives the leader if an error says that a node is to be left; null if it does not. Never throws. */
const lostNode = (error: unknown): string | 'unknown' | null => {
  if (!(error instanceof Error)) return null
  const { exception, trailer } = failureOf(error)
  if (exception === 'not-leader') return leaderIn(trailer)
  if (error.message.includes(NO_LEADER)) return 'unknown'
  const known = commandErrorOf(error)
  return known instanceof UnavailableError || known instanceof CancelledError ? 'unknown' : null
}

const HOST = /^[\w.-]+$/

/** A node that does not lead may not know who does. */
const leaderIn = (trailer: (key: string) => string): string | 'unknown' => {
  const [host, port] = [trailer('leader-endpoint-host'), Number(trailer('leader-endpoint-port'))]
  return HOST.test(host) && Number.isInteger(port) && port > 0 && port < 65_536 ? `${host}:${port}` : 'unknown'
}

/** The client throws while it converts an error that lacks a trailer. */
const commandErrorOf = (error: Error): Error => {
  try {
    return convertToCommandError(error)
  } catch {
    return error
  }
}
