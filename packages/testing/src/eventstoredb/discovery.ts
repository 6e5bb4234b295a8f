import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js'
import type { handleUnaryCall } from '@grpc/grpc-js'
import { features, gossip, type shared, uuid } from './protobuf.ts'
import type { ServerState } from './server-state.ts'
import { unavailable } from './trailers.ts'

const STREAMS = 'event_store.client.streams.streams'
const LEADER = 8

/** `GetSupportedMethods`, which the client asks once a connection before its first append. */
export const supportedMethods =
  (state: ServerState): handleUnaryCall<shared.Empty, features.SupportedMethods> =>
  (_call, respond) => {
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

/** `Gossip/Read`: a cluster of this one node, leading. */
export const gossipRead =
  (state: ServerState): handleUnaryCall<shared.Empty, gossip.ClusterInfo> =>
  (_call, respond) => {
    const endPoint = new gossip.EndPoint()
    endPoint.setAddress('127.0.0.1')
    endPoint.setPort(state.port())
    const member = new gossip.MemberInfo()
    member.setInstanceId(uuid('00000000-0000-0000-0000-000000000001'))
    member.setTimeStamp('0')
    member.setState(LEADER)
    member.setIsAlive(true)
    member.setHttpEndPoint(endPoint)
    const cluster = new gossip.ClusterInfo()
    cluster.addMembers(member)
    respond(null, cluster)
  }
