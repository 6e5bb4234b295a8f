import { GossipService } from '@eventstore/db-client/generated/gossip_grpc_pb.js'
import { ServerFeaturesService } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js'
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import { startTcpProxy, type TcpProxy } from '../tcp-proxy.ts'
import { batchAppend } from './batch-append.ts'
import { deleteStream, tombstoneStream } from './delete.ts'
import { gossipRead, supportedMethods } from './discovery.ts'
import { type Faults, noFaults } from './faults.ts'
import { elsewhere } from './leadership.ts'
import { asOfNow, type Log, memoryLog } from './log.ts'
import { streamName, streams } from './protobuf.ts'
import { eventAnswer, notFoundAnswer } from './read-answers.ts'
import { drained, type ReadCall } from './read-call.ts'
import { selectRecords } from './selection.ts'
import type { Calls, ServerState } from './server-state.ts'
import { follow } from './subscription.ts'
import { startTail } from './tail.ts'
import { streamDeleted, unavailable } from './trailers.ts'
import { unaryAppend } from './unary-append.ts'

export type EventStoreFixture = Readonly<{
  /** What @eventstore/db-client and the adapter connect with. */
  connectionString: string
  port: number
  log: Log
  /** Turn these on and off at any time. */
  faults: Faults
  /** Ends every subscription as if it had finished, without an error. */
  endSubscriptions: () => void
  /** Ends every subscription with UNAVAILABLE, as a node that shuts down does. */
  failSubscriptions: () => void
  subscriptions: () => number
  calls: Readonly<Calls>
  cut: TcpProxy['cut']
  hold: TcpProxy['hold']
  release: TcpProxy['release']
  /** From now on it has no majority: it shows what it has, and keeps what is appended in a tail that no reader sees, without an answer. */
  cutOff: () => void
  /** Events in that tail. */
  tail: () => number
  /** It has a majority again, which takes its tail, or else truncates it. */
  rejoin: (tail: 'taken' | 'truncated') => void
  /** Nothing answers on the port until `start`. The log stays. */
  stop: () => Promise<void>
  start: () => Promise<void>
  close: () => Promise<void>
}>

const MEBIBYTE = 1024 * 1024

export type FixtureOptions = Readonly<{
  /** Default: any that is free. */
  port?: number
  /** The largest append in bytes. Default 1 MiB, like the server's. */
  maxAppendSize?: number
  /** What a message may have on the wire. Default 32 MiB. */
  maxMessageBytes?: number
  /** Another fixture's: the two are then nodes of one cluster, and `faults.notLeader` names the leader to each. */
  log?: Log
}>

/** No node's log starts empty: it has written events of its own before anybody connects. */
const begun = (log: Log): Log => {
  if (log.all.length > 0) return log
  const [data, metadata] = [Buffer.from('{"loginName":"admin"}'), new Uint8Array()]
  log.commit('$user-admin', [{ id: crypto.randomUUID(), type: '$UserCreated', contentType: 'application/json', data, metadata }])
  return log
}

/** An in-memory EventStoreDB 23.10 that speaks the wire of @eventstore/db-client 6.2.1 on 127.0.0.1, without TLS. */
export async function startEventStoreFixture(options: FixtureOptions = {}): Promise<EventStoreFixture> {
  const faults = noFaults()
  const now = (): number => Date.now() + faults.clockAheadMs
  const log = begun(options.log ?? memoryLog(now))
  const state: ServerState = {
    log,
    tail: undefined,
    faults,
    now,
    maxAppendSize: options.maxAppendSize ?? MEBIBYTE,
    subscriptions: new Set(),
    calls: { batchAppends: 0, unaryAppends: 0, reads: 0, subscriptions: 0 },
    dropConnections: () => running?.proxy.cut(),
    port: () => port,
  }
  const { maxMessageBytes = 32 * MEBIBYTE } = options
  const start = (at: number): Promise<Running> => run(state, { port: at, maxMessageBytes })
  let running: Running | undefined = await start(options.port ?? 0)
  const port = running.proxy.port
  const stop = async (): Promise<void> => {
    await running?.stop()
    running = undefined
  }
  return {
    connectionString: `esdb://127.0.0.1:${port}?tls=false`,
    port,
    log,
    faults,
    endSubscriptions: () => endAll(state, (call) => call.end()),
    failSubscriptions: () => endAll(state, (call) => call.emit('error', unavailable())),
    subscriptions: () => state.subscriptions.size,
    calls: state.calls,
    cut: () => running?.proxy.cut(),
    hold: () => running?.proxy.hold(),
    release: () => running?.proxy.release(),
    cutOff: () => {
      state.tail = startTail(log)
      state.log = asOfNow(log)
    },
    tail: () => state.tail?.size() ?? 0,
    rejoin: (tail) => {
      const { tail: own } = state
      state.log = log
      state.tail = undefined
      if (tail === 'taken') own?.commit()
    },
    stop,
    start: async () => {
      running ??= await start(port)
    },
    close: stop,
  }
}

type Running = Readonly<{ proxy: TcpProxy; stop: () => Promise<void> }>
type Call = ServerState['subscriptions'] extends Set<infer T> ? T : never

const endAll = (state: ServerState, end: (call: Call) => void): void => {
  for (const call of [...state.subscriptions]) {
    state.subscriptions.delete(call)
    end(call)
  }
}

type Listening = Readonly<{ port: number; maxMessageBytes: number }>

const run = async (state: ServerState, { port, maxMessageBytes }: Listening): Promise<Running> => {
  const server = new Server({ 'grpc.max_receive_message_length': maxMessageBytes })
  server.addService(StreamsService, {
    read: read(state),
    append: unaryAppend(state),
    batchAppend: batchAppend(state),
    delete: deleteStream(state),
    tombstone: tombstoneStream(state),
  })
  server.addService(ServerFeaturesService, { getSupportedMethods: supportedMethods(state) })
  server.addService(GossipService, { read: gossipRead(state) })
  const inner = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => (error ? reject(error) : resolve(bound))),
  )
  const proxy = await startTcpProxy(port, inner)
  const stop = async (): Promise<void> => {
    state.subscriptions.clear()
    await proxy.close()
    server.forceShutdown()
  }
  return { proxy, stop }
}

/** `Read`: reads and subscriptions are one call on this wire. */
function read(state: ServerState) {
  return (call: ReadCall) => {
    const options = call.request.getOptions() ?? new streams.ReadReq.Options()
    const refusal = elsewhere(state, call.metadata)
    if (refusal !== undefined) return void call.emit('error', refusal)
    if (options.hasSubscription()) return void follow(state, call, options)
    state.calls.reads++
    const stream = streamName(options.getStream()?.getStreamIdentifier())
    if (!options.hasAll() && state.log.isTombstoned(stream)) return void call.emit('error', streamDeleted(stream))
    return void answer(state, call, options, stream)
  }
}

const answer = async (state: ServerState, call: ReadCall, options: streams.ReadReq.Options, stream: string): Promise<void> => {
  const records = selectRecords(state, options)
  if (records === undefined) call.write(notFoundAnswer(stream))
  for (const record of records ?? []) {
    if (call.cancelled) return
    if (!call.write(eventAnswer(record))) await drained(call)
  }
  call.end()
}
