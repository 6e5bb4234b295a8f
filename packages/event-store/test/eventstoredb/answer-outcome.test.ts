import status from '@eventstore/db-client/generated/status_pb.js'
import any from 'google-protobuf/google/protobuf/any_pb.js'
import { expect, test } from 'vitest'
import { answerOutcome } from '../../src/eventstoredb/answer-outcome.ts'
import { empty, shared, streams } from '../../src/eventstoredb/protobuf.ts'

const failed = (message: string, typeName?: string, details: Uint8Array = new Uint8Array()): streams.BatchAppendResp => {
  const error = new status.Status()
  error.setMessage(message)
  if (typeName !== undefined) {
    const packed = new any.Any()
    packed.pack(details, typeName)
    error.setDetails(packed)
  }
  const answer = new streams.BatchAppendResp()
  answer.setError(error)
  return answer
}
const written = (revision: string): streams.BatchAppendResp => {
  const success = new streams.BatchAppendResp.Success()
  success.setCurrentRevision(revision)
  const answer = new streams.BatchAppendResp()
  answer.setSuccess(success)
  return answer
}

test('a success without a position has none', () => {
  expect(answerOutcome(written('7'), 1)).toEqual({ kind: 'written', revision: 7, position: undefined })
})

test('a revision that a number cannot hold is an error, not a rounded number', () => {
  expect(answerOutcome(written('9007199254740991'), 1)).toMatchObject({ revision: 9_007_199_254_740_991 })
  expect(() => answerOutcome(written('9007199254740993'), 1)).toThrow('beyond what a number holds exactly')
})

test('a wrong revision says the current one, or that there is none', () => {
  const details = new shared.WrongExpectedVersion()
  details.setCurrentStreamRevision('4')
  const name = 'event_store.client.WrongExpectedVersion'
  expect(answerOutcome(failed('', name, details.serializeBinary()), 1)).toEqual({ kind: 'wrong_revision', current: 4 })
  details.setCurrentNoStream(new empty.Empty())
  expect(answerOutcome(failed('', name, details.serializeBinary()), 1)).toEqual({ kind: 'wrong_revision', current: null })
})

test('what the server decided against for good is refused or denied', () => {
  expect(answerOutcome(failed('', 'event_store.client.StreamDeleted'), 1).kind).toBe('deleted')
  expect(answerOutcome(failed('', 'event_store.client.AccessDenied'), 1).kind).toBe('denied')
  expect(answerOutcome(failed('', 'event_store.client.MaximumAppendSizeExceeded'), 1).kind).toBe('refused')
  expect(answerOutcome(failed('', 'event_store.client.MaximumAppendEventSizeExceeded'), 1).kind).toBe('refused')
})

test('everything else is unknown, with what the server said', () => {
  for (const answer of [failed('Server Is Busy', 'google.protobuf.Empty'), failed('New'), failed('New', 'event_store.client.New')]) {
    expect(answerOutcome(answer, 1)).toMatchObject({
      kind: 'unknown',
      reason: `EventStoreDB answered "${answer.getError()?.getMessage()}"`,
    })
  }
  expect(answerOutcome(new streams.BatchAppendResp(), 1).kind).toBe('unknown')
})

test('a node without a leader is left for another', () => {
  expect(answerOutcome(failed('No leader info available in response', 'google.protobuf.Empty'), 1)).toMatchObject({ elsewhere: true })
})

test('an immediate timeout is reported as a difference of two clocks', () => {
  const timeout = failed('Timeout', 'event_store.client.Timeout')
  expect(answerOutcome(timeout, 3)).toMatchObject({ kind: 'unknown', reason: expect.stringContaining('compare its clock') })
  expect(answerOutcome(timeout, 2_000)).toEqual({ kind: 'unknown', reason: 'EventStoreDB timed out writing' })
})
