import type { EventToAppend, ExpectedRevision } from '../port.ts'
import { empty, streamIdentifier, streams, uuid } from './protobuf.ts'

type Part = streams.BatchAppendReq
type Options = streams.BatchAppendReq.Options

/** gRPC servers take messages of 4 MiB; appends end at 1 MiB, so one part carries any of them. */
export function encodeAppend(stream: string, expected: ExpectedRevision, events: readonly EventToAppend[]): Part {
  const part = new streams.BatchAppendReq()
  part.setOptions(encodeOptions(stream, expected))
  part.setProposedMessagesList(events.map(encodeEvent))
  part.setIsFinal(true)
  return part
}

/**
 * Without a deadline on purpose: on this wire it is a time of day by the client's clock, and a server whose clock is ahead answers
 * every append with a timeout. The server's own write timeout and the appender's timer bound the wait instead.
 */
const encodeOptions = (stream: string, expected: ExpectedRevision): Options => {
  const options = new streams.BatchAppendReq.Options()
  options.setStreamIdentifier(streamIdentifier(stream))
  if (expected === 'any') options.setAny(new empty.Empty())
  else if (expected === 'no_stream') options.setNoStream(new empty.Empty())
  else if (expected === 'stream_exists') options.setStreamExists(new empty.Empty())
  else options.setStreamPosition(String(expected))
  return options
}

/** The texts go out byte for byte; the client would parse and print them again. */
const encodeEvent = (event: EventToAppend): streams.BatchAppendReq.ProposedMessage => {
  const message = new streams.BatchAppendReq.ProposedMessage()
  message.setId(uuid(event.id))
  message.getMetadataMap().set('type', event.type).set('content-type', 'application/json')
  message.setData(Buffer.from(event.data))
  message.setCustomMetadata(Buffer.from(event.meta))
  return message
}
