import { Duplex } from 'node:stream'
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

const NAMES = ['getGRPCClient', 'getChannel', 'callArguments', 'handleError', 'createChannel'] as const

/**
 * Bytes that the server may send before this process has read them. @grpc/grpc-js leaves a connection at the 64 KiB of HTTP/2, for all of
 * its calls together, and nothing follows before the event loop comes round: 16 pages of 1 380 events, read at once by a process whose
 * turns take 50 ms, took 30 s, and 4 to 8 s with this; meanwhile the subscription got no word, and appends no answer.
 */
const FLOW_WINDOW = 1024 * 1024

/**
 * The one place that reaches into the client; another version of it is refused at the start, not at the first append. Throws
 * InvalidConnectionString.
 */
export function clientInternals(connectionString: string): ClientInternals {
  const client = clientOf(connectionString)
  const missing = NAMES.filter((name) => typeof Reflect.get(client, name) !== 'function')
  if (missing.length > 0) throw new Error(`@eventstore/db-client has no ${missing.join(', ')}: the adapter is written for 6.2.1`)
  const createChannel: () => Promise<Channel> = Reflect.get(client, 'createChannel')
  Reflect.set(client, 'createChannel', async () => widened(await createChannel()))
  return {
    getGRPCClient: Reflect.get(client, 'getGRPCClient'),
    getChannel: Reflect.get(client, 'getChannel'),
    callArguments: Reflect.get(client, 'callArguments'),
    handleError: Reflect.get(client, 'handleError'),
  }
}

/** The client passes no options on to its channel, which looks at them when it connects. Where they are not found, all works as it was. */
const widened = (channel: Channel): Channel => {
  const options: unknown = field(field(channel, 'internalChannel'), 'options')
  if (typeof options === 'object' && options !== null) Reflect.set(options, 'grpc-node.flow_control_window', FLOW_WINDOW)
  return channel
}

const field = (owner: unknown, name: string): unknown =>
  typeof owner === 'object' && owner !== null ? Reflect.get(owner, name) : undefined

/** The layers from a call to its stream: interceptors, resolver, retries, load balancer, connection. */
const TO_HTTP2_STREAM = ['call', 'call', 'child', 'underlyingCalls', '0', 'call', 'child', 'http2Stream']

/** The HTTP/2 stream of a call: `not yet` before the call is on a connection, `elsewhere` where @grpc/grpc-js does not keep it as 1.14 does. */
export function http2StreamOf(call: object): Duplex | 'not yet' | 'elsewhere' {
  let at: unknown = call
  for (const name of TO_HTTP2_STREAM) {
    if (at === null || at === undefined) return 'not yet'
    if (typeof at !== 'object' || !(name in at || Array.isArray(at))) return 'elsewhere'
    at = Reflect.get(at, name)
  }
  return at instanceof Duplex ? at : 'elsewhere'
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
