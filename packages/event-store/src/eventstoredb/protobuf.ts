/**
 * The messages that @eventstore/db-client 6.2.1 ships but does not export: CommonJS whose names Node cannot see, so they come as
 * default exports.
 */
import shared from '@eventstore/db-client/generated/shared_pb.js'
import type status from '@eventstore/db-client/generated/status_pb.js'
import streams from '@eventstore/db-client/generated/streams_pb.js'
import empty from 'google-protobuf/google/protobuf/empty_pb.js'

export { empty, shared, type status, streams }

export function streamIdentifier(name: string): shared.StreamIdentifier {
  const identifier = new shared.StreamIdentifier()
  identifier.setStreamName(Buffer.from(name))
  return identifier
}

export function uuid(id: string): shared.UUID {
  const message = new shared.UUID()
  message.setString(id)
  return message
}

/** Revisions are int64 on the wire and numbers here: past 2^53 they would be rounded, so that is an error. */
export function safeRevision(written: string | number): number {
  const revision = Number(written)
  if (!Number.isSafeInteger(revision)) throw new RangeError(`revision ${written} is beyond what a number holds exactly`)
  return revision
}
