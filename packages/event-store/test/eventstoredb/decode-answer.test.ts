import statuses from '@eventstore/db-client/generated/status_pb.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeAnswer } from '../../src/eventstoredb/decode-answer.ts'
import { empty, shared, streamIdentifier, streams, uuid } from '../../src/eventstoredb/protobuf.ts'

const ID = '0a0b0c0d-0000-4000-8000-000000000001'

const uint64 = fc.oneof(fc.nat().map(BigInt), fc.bigInt(0n, 2n ** 64n - 1n))

const answerOf = (
  revision: string | undefined,
): Readonly<{ answer: streams.BatchAppendResp; success: streams.BatchAppendResp.Success }> => {
  const success = new streams.BatchAppendResp.Success()
  if (revision === undefined) success.setNoStream(new empty.Empty())
  else success.setCurrentRevision(revision)
  const answer = new streams.BatchAppendResp()
  answer.setCorrelationId(uuid(ID))
  answer.setStreamIdentifier(streamIdentifier('thing-1'))
  answer.setSuccess(success)
  return { answer, success }
}

const bytesOf = (answer: streams.BatchAppendResp): Buffer => Buffer.from(answer.serializeBinary())

test('a success has its revision and position, exactly', () => {
  fc.assert(
    fc.property(fc.nat(Number.MAX_SAFE_INTEGER), uint64, uint64, (revision, commit, prepare) => {
      const { answer, success } = answerOf(String(revision))
      const position = new shared.AllStreamPosition()
      position.setCommitPosition(String(commit))
      position.setPreparePosition(String(prepare))
      success.setPosition(position)
      expect(decodeAnswer(bytesOf(answer))).toMatchObject({ id: ID, written: { kind: 'written', revision, position: { commit, prepare } } })
    }),
  )
})

test('a success may have no position', () => {
  const { answer, success } = answerOf('7')
  success.setNoPosition(new empty.Empty())
  expect(decodeAnswer(bytesOf(answer)).written).toEqual({ kind: 'written', revision: 7, position: undefined })
})

test.each([undefined, '9007199254740993'])('revision %s is left to those who know the whole answer', (revision) => {
  const bytes = bytesOf(answerOf(revision).answer)
  expect(decodeAnswer(bytes)).toEqual({ id: ID, written: undefined, bytes })
})

test('so is an error', () => {
  const answer = new streams.BatchAppendResp()
  answer.setCorrelationId(uuid(ID))
  const error = new statuses.Status()
  error.setMessage('Server Is Busy')
  answer.setError(error)
  expect(decodeAnswer(bytesOf(answer))).toMatchObject({ id: ID, written: undefined })
})

test('bytes that end too early are an error', () => {
  const bytes = bytesOf(answerOf('300').answer)
  expect(() => decodeAnswer(bytes.subarray(0, bytes.length - 1))).toThrow(RangeError)
  expect(() => decodeAnswer(Buffer.alloc(11, 0xff))).toThrow('a number without an end')
})
