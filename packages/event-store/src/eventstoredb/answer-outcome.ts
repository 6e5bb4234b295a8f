import { NO_LEADER } from './connection.ts'
import type { AppendOutcome } from './outcome.ts'
import { safeRevision, shared, type status, type streams } from './protobuf.ts'

/** No server times out a write this early: its clock differs from ours, or it is overloaded. */
const EARLIEST_TIMEOUT_MS = 500

/** Classifies the server's answer to one batch append; `elapsedMs` after it was sent. Whatever is not known for sure is `unknown`. */
export function answerOutcome(answer: streams.BatchAppendResp, elapsedMs: number): AppendOutcome {
  const success = answer.getSuccess()
  if (success !== undefined) return written(success)
  const error = answer.getError()
  return error === undefined ? { kind: 'unknown', reason: 'an answer without content' } : errorOutcome(error, elapsedMs)
}

const written = (success: streams.BatchAppendResp.Success): AppendOutcome => {
  const position = success.getPosition()
  return {
    kind: 'written',
    revision: safeRevision(success.getCurrentRevision()),
    position: position && { commit: BigInt(position.getCommitPosition()), prepare: BigInt(position.getPreparePosition()) },
  }
}

const errorOutcome = (error: status.Status, elapsedMs: number): AppendOutcome => {
  const message = error.getMessage()
  const details = error.getDetails()
  switch (details?.getTypeName()) {
    case 'event_store.client.WrongExpectedVersion':
      return wrongRevision(details.getValue_asU8())
    case 'event_store.client.StreamDeleted':
      return { kind: 'deleted' }
    case 'event_store.client.AccessDenied':
      return { kind: 'denied', reason: 'EventStoreDB denied access: check the user in the connection string' }
    case 'event_store.client.MaximumAppendSizeExceeded':
    case 'event_store.client.MaximumAppendEventSizeExceeded':
      return { kind: 'refused', reason: `the append is larger than EventStoreDB takes (${message})` }
    case 'event_store.client.BadRequest':
      return {
        kind: 'refused',
        reason: `EventStoreDB refused the append: ${shared.BadRequest.deserializeBinary(details.getValue_asU8()).getMessage()}`,
      }
    case 'event_store.client.Timeout':
      return { kind: 'unknown', reason: elapsedMs < EARLIEST_TIMEOUT_MS ? CLOCKS : 'EventStoreDB timed out writing' }
    default:
      // "Server Is Busy", "Server Is Not Ready" and what a newer server answers. A node without a leader does not find one for the client.
      return { kind: 'unknown', reason: `EventStoreDB answered "${message}"`, elsewhere: message.startsWith(NO_LEADER) }
  }
}

const CLOCKS = 'EventStoreDB calls an append that was just sent too late: compare its clock with the one of this machine'

const wrongRevision = (bytes: Uint8Array): AppendOutcome => {
  const wrong = shared.WrongExpectedVersion.deserializeBinary(bytes)
  return { kind: 'wrong_revision', current: wrong.hasCurrentStreamRevision() ? safeRevision(wrong.getCurrentStreamRevision()) : null }
}
