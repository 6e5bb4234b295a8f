import type { Expected } from './commit-check.ts'
import { any, empty, shared, status, streamIdentifier, streams } from './protobuf.ts'
import type { Written } from './writer.ts'

type BatchAppendResp = streams.BatchAppendResp

const PACKAGE = 'event_store.client.'

/** A `google.rpc.Status` with its details packed under `typeName`, or with none at all. */
export function statusOf(message: string, typeName?: string, details: Uint8Array = new Uint8Array()): status.Status {
  const answer = new status.Status()
  answer.setCode(2)
  answer.setMessage(message)
  if (typeName !== undefined) {
    const packed = new any.Any()
    packed.pack(details, typeName)
    answer.setDetails(packed)
  }
  return answer
}

export function timeoutStatus(): status.Status {
  return statusOf('Timeout', `${PACKAGE}Timeout`)
}

export function accessDeniedStatus(): status.Status {
  return statusOf('Access Denied', `${PACKAGE}AccessDenied`)
}

export function badRequestStatus(message: string): status.Status {
  const details = new shared.BadRequest()
  details.setMessage(message)
  return statusOf('Bad Request', `${PACKAGE}BadRequest`, details.serializeBinary())
}

/** Server too busy and server not ready: details that say nothing, and a message to be read by people. */
export function notHandledStatus(message: string): status.Status {
  return statusOf(message, 'google.protobuf.Empty')
}

export function tooLargeStatus(limit: number): status.Status {
  const details = new shared.MaximumAppendSizeExceeded()
  details.setMaxappendsize(limit)
  return statusOf('Maximum Append Size Exceeded', `${PACKAGE}MaximumAppendSizeExceeded`, details.serializeBinary())
}

const deletedStatus = (stream: string): status.Status => {
  const details = new shared.StreamDeleted()
  details.setStreamIdentifier(streamIdentifier(stream))
  return statusOf('Stream Deleted', `${PACKAGE}StreamDeleted`, details.serializeBinary())
}

const wrongVersionStatus = (current: number, expected: Expected): status.Status => {
  const details = new shared.WrongExpectedVersion()
  if (current < 0) details.setCurrentNoStream(new empty.Empty())
  else details.setCurrentStreamRevision(String(current))
  if (expected === 'no_stream') details.setExpectedNoStream(new empty.Empty())
  else if (expected === 'any') details.setExpectedAny(new empty.Empty())
  else if (expected === 'stream_exists') details.setExpectedStreamExists(new empty.Empty())
  else details.setExpectedStreamPosition(String(expected))
  return statusOf('Wrong Expected Version', `${PACKAGE}WrongExpectedVersion`, details.serializeBinary())
}

export function errorAnswer(correlation: shared.UUID | undefined, stream: string, error: status.Status): BatchAppendResp {
  const answer = new streams.BatchAppendResp()
  answer.setCorrelationId(correlation)
  answer.setStreamIdentifier(streamIdentifier(stream))
  answer.setError(error)
  return answer
}

export function successAnswer(correlation: shared.UUID | undefined, revision: number, position: bigint | undefined): BatchAppendResp {
  const success = new streams.BatchAppendResp.Success()
  success.setCurrentRevision(String(revision))
  if (position === undefined) success.setNoPosition(new empty.Empty())
  else {
    const place = new shared.AllStreamPosition()
    place.setCommitPosition(String(position))
    place.setPreparePosition(String(position))
    success.setPosition(place)
  }
  const answer = new streams.BatchAppendResp()
  answer.setCorrelationId(correlation)
  answer.setSuccess(success)
  return answer
}

export function refusalStatus(stream: string, expected: Expected, written: Exclude<Written, { kind: 'written' }>): status.Status {
  return written.kind === 'deleted' ? deletedStatus(stream) : wrongVersionStatus(written.current, expected)
}
