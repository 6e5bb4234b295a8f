import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js'
import { type CallOptions, Metadata, status } from '@grpc/grpc-js'
import { clientInternals } from './client-internals.ts'

export type { StreamsClient }

/** One channel to the node that leads, found and found again by the client. */
export type Connection = Readonly<{
  /** A stub over the present channel. Rejects where no node can be found. */
  streams: () => Promise<StreamsClient>
  /** Whether calls still go to the node of this stub. */
  isCurrent: (stub: StreamsClient) => boolean
  /**
   * Metadata and options of a call: connection name, credentials, and a deadline unless the call has none. Every call asks for the
   * leader, reads too: a follower may lack the newest events, which a repeated decision needs, and redirects us to the leader.
   */
  call: (deadlineMs: number | 'no deadline') => [Metadata, CallOptions]
  /** Says how a call over `stub` failed; the channel is replaced where that helps. Never rejects. */
  failed: (stub: StreamsClient, error: unknown) => Promise<void>
  /** Replaces the channel of a node that has gone silent. Never rejects. */
  reconnect: (stub: StreamsClient) => Promise<void>
  close: () => Promise<void>
}>

/** A node that was cut off from its cluster always answers so; another node may know the leader. */
export const NO_LEADER = 'No leader info'

/** The failure on which the client gives up a channel. */
const silence = (details: string): Error =>
  Object.assign(new Error(details), { code: status.UNAVAILABLE, details, metadata: new Metadata() })

export function createConnection(connectionString: string): Connection {
  const client = clientInternals(connectionString)
  let current: StreamsClient | undefined
  let used = false
  const failed = async (stub: StreamsClient, error: unknown): Promise<void> => {
    if (!(error instanceof Error)) return
    // What it rejects with is this very failure again, or that the next node is not found yet: the next call says so.
    await client.handleError(stub, error.message.includes(NO_LEADER) ? silence(NO_LEADER) : error).catch(() => undefined)
  }
  return {
    streams: async () => {
      used = true
      current = await client.getGRPCClient(StreamsClient, 'tidings')
      return current
    },
    isCurrent: (stub) => stub === current,
    call: (deadlineMs) =>
      deadlineMs === 'no deadline'
        ? client.callArguments({ requiresLeader: true }, { deadline: Number.POSITIVE_INFINITY })
        : client.callArguments({ requiresLeader: true, deadline: deadlineMs }),
    failed,
    reconnect: (stub) => failed(stub, silence('the node went silent')),
    close: async () => {
      if (used) (await client.getChannel().catch(() => undefined))?.close()
    },
  }
}
