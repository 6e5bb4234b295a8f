import { Metadata, status } from '@grpc/grpc-js'
import { expect, test } from 'vitest'
import { InvalidAppend, StreamDeleted, Unavailable } from '../../src/errors.ts'
import { appendFailure, failureOutcome, readFailure } from '../../src/eventstoredb/call-failure.ts'

const failure = (code: status, trailers: Record<string, string> = {}): Error => {
  const metadata = new Metadata()
  for (const [key, value] of Object.entries(trailers)) metadata.set(key, value)
  return Object.assign(new Error(`${code}`), { code, details: 'what happened', metadata })
}

test('the trailer decides before the status code', () => {
  expect(failureOutcome(failure(status.FAILED_PRECONDITION, { exception: 'stream-deleted' }))).toEqual({ kind: 'deleted' })
  expect(failureOutcome(failure(status.UNKNOWN, { exception: 'access-denied' })).kind).toBe('denied')
  expect(failureOutcome(failure(status.NOT_FOUND, { exception: 'not-leader' })).kind).toBe('unknown')
})

test('a wrong revision in trailers says the current one, and empty for none', () => {
  const wrong = (actual: string) => failure(status.FAILED_PRECONDITION, { exception: 'wrong-expected-version', 'actual-version': actual })
  expect(failureOutcome(wrong('3'))).toEqual({ kind: 'wrong_revision', current: 3 })
  expect(failureOutcome(wrong(''))).toEqual({ kind: 'wrong_revision', current: null })
})

test('a server too old, and a user without rights, are not asked again', () => {
  expect(failureOutcome(failure(status.UNIMPLEMENTED))).toMatchObject({ kind: 'denied', reason: expect.stringContaining('21.10') })
  expect(failureOutcome(failure(status.UNAUTHENTICATED)).kind).toBe('denied')
})

test.each([
  ['Received message larger than max (5000000 vs 4194304)', 'refused'],
  ['Received message exceeds the maximum configured message size.', 'refused'],
  ['Bandwidth exhausted or memory limit exceeded', 'unknown'],
])('an append that fails its call with "%s" is %s', (details, kind) => {
  const error = Object.assign(new Error(details), { code: status.RESOURCE_EXHAUSTED, details })
  expect(appendFailure(error).kind).toBe(kind)
})

test('errors that are not gRPC’s are unknown, whatever was thrown', () => {
  expect(failureOutcome(new Error('Failed to discover after 10 attempts.'))).toMatchObject({
    kind: 'unknown',
    reason: 'Failed to discover after 10 attempts.',
  })
  expect(failureOutcome('a string')).toMatchObject({ kind: 'unknown', reason: 'a string' })
  expect(failureOutcome(Object.assign(new Error('closed'), { code: 'ERR_STREAM_DESTROYED' })).kind).toBe('unknown')
})

test('a connection that fails is reported with the error code of the network', () => {
  const details = 'No connection established. Last error: Error: connect ECONNREFUSED 127.0.0.1:2113. Resolution note: '
  const refused = Object.assign(new Error(details), { code: status.UNAVAILABLE, details })
  expect(failureOutcome(refused)).toEqual({ kind: 'unknown', reason: 'connect ECONNREFUSED 127.0.0.1:2113' })
})

test('a failed read is repeated only where that can help', () => {
  expect(readFailure('s', failure(status.UNAVAILABLE))).toMatchObject({ error: expect.any(Unavailable), again: true })
  expect(readFailure('s', failure(status.PERMISSION_DENIED))).toMatchObject({ error: expect.any(Unavailable), again: false })
  expect(readFailure('s', failure(status.INVALID_ARGUMENT))).toMatchObject({ error: expect.any(InvalidAppend), again: false })
  expect(readFailure('s', failure(status.FAILED_PRECONDITION, { exception: 'stream-deleted' }))).toMatchObject({
    error: expect.any(StreamDeleted),
  })
})
