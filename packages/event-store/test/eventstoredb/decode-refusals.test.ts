import statuses from '@eventstore/db-client/generated/status_pb.js'
import { describe, expect, test } from 'vitest'
import { answerOutcome } from '../../src/eventstoredb/answer-outcome.ts'
import { decodeAnswer } from '../../src/eventstoredb/decode-answer.ts'
import { decodeRead } from '../../src/eventstoredb/decode-read.ts'
import { streams, uuid } from '../../src/eventstoredb/protobuf.ts'

const ID = '0a0b0c0d-0000-4000-8000-000000000001'
const bytes = (m: { serializeBinary: () => Uint8Array }): Buffer => Buffer.from(m.serializeBinary())

const success = (): streams.BatchAppendResp => {
  const answer = new streams.BatchAppendResp()
  answer.setCorrelationId(uuid(ID))
  const s = new streams.BatchAppendResp.Success()
  s.setCurrentRevision('7')
  answer.setSuccess(s)
  return answer
}
const refusal = (): streams.BatchAppendResp => {
  const answer = new streams.BatchAppendResp()
  const error = new statuses.Status()
  error.setMessage('Server Is Busy')
  answer.setError(error)
  return answer
}

describe('no success is read from', () => {
  test('a refusal after a success in one message: the last of a oneof wins', () => {
    const both = Buffer.concat([bytes(success()), bytes(refusal())])
    const known = answerOutcome(streams.BatchAppendResp.deserializeBinary(both), 1)
    expect(known.kind).toBe('unknown')
    expect(decodeAnswer(both).written).toBeUndefined()
  })

  test('"no stream" after a revision', () => {
    const revision = Buffer.from([0x08, 0x07])
    const noStream = Buffer.from([0x12, 0x00])
    const inner = Buffer.concat([revision, noStream])
    const wire = Buffer.concat([Buffer.from([0x1a, inner.length]), inner])
    expect(streams.BatchAppendResp.deserializeBinary(wire).getSuccess()?.hasCurrentRevision()).toBe(false)
    expect(decodeAnswer(wire).written).toBeUndefined()
  })

  test('"no position" after a position', () => {
    const inner = Buffer.from([0x08, 0x07, 0x1a, 0x04, 0x08, 0x05, 0x10, 0x05, 0x22, 0x00])
    const wire = Buffer.concat([Buffer.from([0x1a, inner.length]), inner])
    expect(streams.BatchAppendResp.deserializeBinary(wire).getSuccess()?.hasPosition()).toBe(false)
    expect(decodeAnswer(wire).written?.position).toBeUndefined()
  })

  test.each([
    ['fixed64', Buffer.from([0x09, 9, 0, 0, 0, 0, 0, 0, 0])],
    ['fixed32', Buffer.from([0x0d, 9, 0, 0, 0])],
    ['delimited', Buffer.from([0x0a, 1, 9])],
  ])('a revision of the wire type %s', (_, inner) => {
    const wire = Buffer.concat([Buffer.from([0x1a, inner.length]), inner])
    expect(() => decodeAnswer(wire)).toThrow(RangeError)
  })
})

describe('no event is read from', () => {
  test('a revision of another wire type', () => {
    // event{event{stream_revision: fixed64}}
    const recorded = Buffer.from([0x19, 9, 0, 0, 0, 0, 0, 0, 0])
    const event = Buffer.concat([Buffer.from([0x0a, recorded.length]), recorded])
    const wire = Buffer.concat([Buffer.from([0x0a, event.length]), event])
    expect(() => decodeRead(wire)).toThrow(RangeError)
  })
})
