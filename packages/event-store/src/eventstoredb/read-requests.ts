import type { Position, ReadStreamOptions } from '../port.ts'
import { shared, streamIdentifier, streams } from './protobuf.ts'

type ReadReq = streams.ReadReq

const EVERYTHING = Number.MAX_SAFE_INTEGER
const { FORWARDS, BACKWARDS } = streams.ReadReq.Options.ReadDirection

const request = (options: streams.ReadReq.Options): ReadReq => {
  const uuids = new streams.ReadReq.Options.UUIDOption()
  uuids.setString(new shared.Empty())
  options.setUuidOption(uuids)
  options.setNoFilter(new shared.Empty())
  const read = new streams.ReadReq()
  read.setOptions(options)
  return read
}

export function readStreamRequest(stream: string, { from, direction = 'forwards', limit = EVERYTHING }: ReadStreamOptions): ReadReq {
  const place = new streams.ReadReq.Options.StreamOptions()
  place.setStreamIdentifier(streamIdentifier(stream))
  if (from !== undefined) place.setRevision(String(from))
  else if (direction === 'backwards') place.setEnd(new shared.Empty())
  else place.setStart(new shared.Empty())
  const options = new streams.ReadReq.Options()
  options.setStream(place)
  options.setReadDirection(direction === 'backwards' ? BACKWARDS : FORWARDS)
  options.setCount(String(limit))
  return request(options)
}

/** Inclusive of the position on this wire. */
export function readAllRequest(from: Position | 'start', limit: number): ReadReq {
  const options = new streams.ReadReq.Options()
  options.setAll(allFrom(from))
  options.setReadDirection(FORWARDS)
  options.setCount(String(limit))
  return request(options)
}

/** The last records of the log, the newest first. */
export function readLastRequest(limit = 1): ReadReq {
  const all = new streams.ReadReq.Options.AllOptions()
  all.setEnd(new shared.Empty())
  const options = new streams.ReadReq.Options()
  options.setAll(all)
  options.setReadDirection(BACKWARDS)
  options.setCount(String(limit))
  return request(options)
}

/** Exclusive of the position on this wire, unlike a read. Unfiltered: filtered subscriptions have their checkpoints late or never. */
export function subscribeRequest(after: Position | 'start'): ReadReq {
  const options = new streams.ReadReq.Options()
  options.setAll(allFrom(after))
  options.setReadDirection(FORWARDS)
  options.setSubscription(new streams.ReadReq.Options.SubscriptionOptions())
  return request(options)
}

const allFrom = (from: Position | 'start'): streams.ReadReq.Options.AllOptions => {
  const all = new streams.ReadReq.Options.AllOptions()
  if (from === 'start') all.setStart(new shared.Empty())
  else {
    const position = new streams.ReadReq.Options.Position()
    position.setCommitPosition(String(from.commit))
    position.setPreparePosition(String(from.prepare))
    all.setPosition(position)
  }
  return all
}
