import fc from 'fast-check'
import { expect, test } from 'vitest'
import { appendSize, encodeAppend } from '../../src/eventstoredb/encode-append.ts'
import { empty, streamIdentifier, streams, uuid } from '../../src/eventstoredb/protobuf.ts'
import type { EventToAppend, ExpectedRevision } from '../../src/port.ts'

const { BatchAppendReq } = streams

const optionsOf = (stream: string, expected: ExpectedRevision): streams.BatchAppendReq.Options => {
  const options = new BatchAppendReq.Options()
  options.setStreamIdentifier(streamIdentifier(stream))
  if (expected === 'any') options.setAny(new empty.Empty())
  else if (expected === 'no_stream') options.setNoStream(new empty.Empty())
  else if (expected === 'stream_exists') options.setStreamExists(new empty.Empty())
  else options.setStreamPosition(String(expected))
  return options
}

const messageOf = ({ id, type, data, meta }: EventToAppend): streams.BatchAppendReq.ProposedMessage => {
  const message = new BatchAppendReq.ProposedMessage()
  message.setId(uuid(id))
  message.getMetadataMap().set('type', type).set('content-type', 'application/json')
  message.setData(Buffer.from(data))
  message.setCustomMetadata(Buffer.from(meta))
  return message
}

const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary', maxLength: 300 }))
const name = fc.string({ minLength: 1, maxLength: 200, unit: 'grapheme' })
const event = fc.record({ id: fc.uuid(), type: name, data: text, meta: text })
const expectation = fc.oneof(
  fc.constantFrom<ExpectedRevision[]>('any', 'no_stream', 'stream_exists'),
  fc.nat(),
  fc.nat(Number.MAX_SAFE_INTEGER),
)

test('an append is the bytes that the generated classes write', () => {
  fc.assert(
    fc.property(name, expectation, fc.array(event, { minLength: 1, maxLength: 4 }), (stream, expected, events) => {
      const { id, message } = encodeAppend(stream, expected, events)
      const request = new BatchAppendReq()
      request.setCorrelationId(uuid(id))
      request.setOptions(optionsOf(stream, expected))
      request.setProposedMessagesList(events.map(messageOf))
      request.setIsFinal(true)
      expect(message.equals(request.serializeBinary())).toBe(true)
      expect(appendSize(stream, expected, events)).toBe(message.length)
    }),
  )
})

test('each has an id of its own', () => {
  expect(encodeAppend('a', 'any', []).id).not.toBe(encodeAppend('a', 'any', []).id)
})
