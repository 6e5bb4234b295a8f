import type { LogRecord } from './log.ts'
import { streamIdentifier, streams, uuid } from './protobuf.ts'

type ReadResp = streams.ReadResp

export function eventAnswer(record: LogRecord): ReadResp {
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent()
  recorded.setId(uuid(record.id))
  recorded.setStreamIdentifier(streamIdentifier(record.stream))
  recorded.setStreamRevision(String(record.revision))
  recorded.setCommitPosition(String(record.position))
  recorded.setPreparePosition(String(record.position))
  recorded.getMetadataMap().set('type', record.type).set('content-type', record.contentType).set('created', String(record.created))
  recorded.setData(record.data)
  recorded.setCustomMetadata(record.metadata)
  const event = new streams.ReadResp.ReadEvent()
  event.setEvent(recorded)
  event.setCommitPosition(String(record.position))
  const answer = new streams.ReadResp()
  answer.setEvent(event)
  return answer
}

export function notFoundAnswer(stream: string): ReadResp {
  const missing = new streams.ReadResp.StreamNotFound()
  missing.setStreamIdentifier(streamIdentifier(stream))
  const answer = new streams.ReadResp()
  answer.setStreamNotFound(missing)
  return answer
}

export function confirmationAnswer(): ReadResp {
  const confirmation = new streams.ReadResp.SubscriptionConfirmation()
  confirmation.setSubscriptionId(crypto.randomUUID())
  const answer = new streams.ReadResp()
  answer.setConfirmation(confirmation)
  return answer
}

export function checkpointAnswer(position: bigint): ReadResp {
  const checkpoint = new streams.ReadResp.Checkpoint()
  checkpoint.setCommitPosition(String(position))
  checkpoint.setPreparePosition(String(position))
  const answer = new streams.ReadResp()
  answer.setCheckpoint(checkpoint)
  return answer
}

export function caughtUpAnswer(): ReadResp {
  const answer = new streams.ReadResp()
  answer.setCaughtUp(new streams.ReadResp.CaughtUp())
  return answer
}
