import { EventStoreDBClient } from '@eventstore/db-client'
import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js'
import type { CallOptions, Channel, Client, Metadata } from '@grpc/grpc-js'
import { InvalidConnectionString, parseConnectionString } from './connection-string.ts'

/** What the client keeps to itself and the adapter builds on: its channel, its credentials and its idea of when to reconnect. */
export type ClientInternals = Readonly<{
  getGRPCClient: (stub: typeof StreamsClient, name: string) => Promise<StreamsClient>
  getChannel: () => Promise<Channel>
  callArguments: (options: Readonly<{ deadline?: number; requiresLeader: boolean }>, callOptions?: CallOptions) => [Metadata, CallOptions]
  /** Closes the channel on UNAVAILABLE, CANCELLED and not-leader, so that the next call finds the right node. */
  handleError: (client: Client, error: Error) => Promise<void>
}>

const NAMES = ['getGRPCClient', 'getChannel', 'callArguments', 'handleError'] as const

/**
 * The one place that reaches into the client; another version of it is refused at the start, not at the first append. Throws
 * InvalidConnectionString.
 */
export const clientInternals = (connectionString: string): ClientInternals => {
  const client = clientOf(connectionString)
  const missing = NAMES.filter((name) => typeof Reflect.get(client, name) !== 'function')
  if (missing.length > 0) throw new Error(`@eventstore/db-client has no ${missing.join(', ')}: the adapter is written for 6.2.1`)
  return {
    getGRPCClient: Reflect.get(client, 'getGRPCClient'),
    getChannel: Reflect.get(client, 'getChannel'),
    callArguments: Reflect.get(client, 'callArguments'),
    handleError: Reflect.get(client, 'handleError'),
  }
}

/** What the client itself finds wrong is a file that is missing or a number out of its range. Its error is not passed on: it may hold the password. */
const clientOf = (connectionString: string): EventStoreDBClient => {
  const { text } = parseConnectionString(connectionString)
  try {
    return EventStoreDBClient.connectionString(text)
  } catch (error) {
    const known = error instanceof Error && !('connectionString' in error)
    throw new InvalidConnectionString(known ? error.message.replace(/\.$/, '') : 'the client does not understand it')
  }
}
