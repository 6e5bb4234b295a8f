/**
 * The messages that @eventstore/db-client 6.2.1 ships but does not export: CommonJS whose names Node cannot see, so they come as
 * default exports.
 */

import gossip from '@eventstore/db-client/generated/gossip_pb.js'
import features from '@eventstore/db-client/generated/serverfeatures_pb.js'
import shared from '@eventstore/db-client/generated/shared_pb.js'
import status from '@eventstore/db-client/generated/status_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import any from 'google-protobuf/google/protobuf/any_pb.js'
import empty from 'google-protobuf/google/protobuf/empty_pb.js'

export { any, empty, features, gossip, shared, status, streams }

export function streamIdentifier(name: string): shared.StreamIdentifier {
  const identifier = new shared.StreamIdentifier()
  identifier.setStreamName(Buffer.from(name))
  return identifier
}

export function streamName(identifier: shared.StreamIdentifier | undefined): string {
  return identifier === undefined ? '' : Buffer.from(identifier.getStreamName_asU8()).toString('utf8')
}

export function uuid(id: string): shared.UUID {
  const message = new shared.UUID()
  message.setString(id)
  return message
}
