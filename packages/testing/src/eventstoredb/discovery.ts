import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js'
import type { handleUnaryCall } from '@grpc/grpc-js'
import { features, gossip, type shared, uuid } from './protobuf.ts'
import type { ServerState } from './server-state.ts'
import { unavailable } from './trailers.ts'

const STREAMS = 'event_store.client.streams.streams'
const { UNKNOWN, FOLLOWER, LEADER } = gossip.MemberInfo.VNodeState
type NodeRole = typeof UNKNOWN | typeof FOLLOWER | typeof LEADER

/** `GetSupportedMethods`, which the client asks once a connection before its first append. */
export function supportedMethods(state: ServerState): handleUnaryCall<shared.Empty, features.SupportedMethods> {
  return (_call, respond) => {
    if (state.faults.featuresUnavailable) return respond(unavailable())
    const answer = new features.SupportedMethods()
    answer.setEventStoreServerVersion('23.10.0')
    for (const [name, { path }] of Object.entries(StreamsService)) {
      if (state.faults.withoutBatchAppend && name === 'batchAppend') continue
      const method = new features.SupportedMethod()
      method.setServiceName(STREAMS)
      method.setMethodName(path.slice(path.lastIndexOf('/') + 1).toLowerCase())
      answer.addMethods(method)
    }
    respond(null, answer)
  }
}

/** `Gossip/Read`: this node, the one that leads where it is another, and those that follow it. */
export function gossipRead(state: ServerState): handleUnaryCall<shared.Empty, gossip.ClusterInfo> {
  return (_call, respond) => {
    const { notLeader, noLeader, followers } = state.faults
    const cluster = new gossip.ClusterInfo()
    const role = notLeader !== undefined ? FOLLOWER : noLeader ? UNKNOWN : LEADER
    cluster.addMembers(member({ host: '127.0.0.1', port: state.port() }, role))
    if (notLeader !== undefined) cluster.addMembers(member(notLeader, LEADER))
    for (const follower of followers) cluster.addMembers(member(follower, FOLLOWER))
    respond(null, cluster)
  }
}

const member = ({ host, port }: Readonly<{ host: string; port: number }>, role: NodeRole): gossip.MemberInfo => {
  const endPoint = new gossip.EndPoint()
  endPoint.setAddress(host)
  endPoint.setPort(port)
  const info = new gossip.MemberInfo()
  info.setInstanceId(uuid(`00000000-0000-0000-0000-${String(port).padStart(12, '0')}`))
  info.setTimeStamp('0')
  info.setState(role)
  info.setIsAlive(true)
  info.setHttpEndPoint(endPoint)
  return info
}
