import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeRead } from '../../src/eventstoredb/decode-read.ts'
import { shared, streamIdentifier, streams, uuid } from '../../src/eventstoredb/protobuf.ts'

const { ReadResp } = streams
const { RecordedEvent } = ReadResp.ReadEvent

const uint64 = fc.oneof(fc.nat().map(BigInt), fc.bigInt(0n, 2n ** 64n - 1n))
const text = fc.string({ unit: 'grapheme', maxLength: 300 })
const name = fc.oneof(text, fc.constantFrom('$metadata', '$$thing-1', '$'))

const record = fc.record({
  ...{ id: fc.uuid(), stream: name, type: name, revision: fc.nat(Number.MAX_SAFE_INTEGER), commit: uint64, prepare: uint64 },
  ...{ ms: fc.nat(1e13), ticks: fc.nat(9_999), data: text, meta: text },
})

const recordedOf = (of: typeof record extends fc.Arbitrary<infer T> ? T : never): streams.ReadResp.ReadEvent.RecordedEvent => {
  const recorded = new RecordedEvent()
  recorded.setId(uuid(of.id))
  recorded.setStreamIdentifier(streamIdentifier(of.stream))
  recorded.setStreamRevision(String(of.revision))
  recorded.setCommitPosition(String(of.commit))
  recorded.setPreparePosition(String(of.prepare))
  const created = BigInt(of.ms) * 10_000n + BigInt(of.ticks)
  recorded.getMetadataMap().set('content-type', 'application/json').set('type', of.type).set('created', String(created))
  recorded.setData(Buffer.from(of.data))
  recorded.setCustomMetadata(Buffer.from(of.meta))
  return recorded
}

const bytesOf = (response: streams.ReadResp): Buffer => Buffer.from(response.serializeBinary())

const delivered = (recorded: streams.ReadResp.ReadEvent.RecordedEvent | undefined): Buffer => {
  const event = new ReadResp.ReadEvent()
  event.setEvent(recorded)
  event.setCommitPosition('12')
  const response = new ReadResp()
  response.setEvent(event)
  return bytesOf(response)
}

test('a record is what the generated classes wrote, exactly', () => {
  fc.assert(
    fc.property(record, (of) => {
      const { id, stream, type, revision, commit, prepare, data, meta } = of
      const created = new Date(of.ms).toISOString()
      const event = { id, stream, type, revision, position: { commit, prepare }, created, data, meta }
      expect(decodeRead(delivered(recordedOf(of)))).toEqual({ event, isOfServer: stream.startsWith('$') || type.startsWith('$') })
    }),
  )
})

test('a record of the server may have a revision that a number cannot hold, an event may not', () => {
  const recorded = new RecordedEvent()
  recorded.setStreamRevision('9223372036854775807')
  recorded.getMetadataMap().set('type', '$streamDeleted')
  expect(decodeRead(delivered(recorded))).toMatchObject({ isOfServer: true })
  recorded.getMetadataMap().set('type', 'ThingHappened')
  expect(() => decodeRead(delivered(recorded))).toThrow('beyond what a number holds exactly')
})

test('of everything else only "caught up" matters', () => {
  const response = new ReadResp()
  response.setCaughtUp(new ReadResp.CaughtUp())
  expect(decodeRead(bytesOf(response))).toBe('caught up')
  const checkpoint = new ReadResp.Checkpoint()
  checkpoint.setCommitPosition('7')
  response.setCheckpoint(checkpoint)
  expect(decodeRead(bytesOf(response))).toBe('other')
  response.setConfirmation(new ReadResp.SubscriptionConfirmation())
  expect(decodeRead(bytesOf(response))).toBe('other')
  const last = new shared.AllStreamPosition()
  last.setCommitPosition('18446744073709551615')
  response.setLastAllStreamPosition(last)
  expect(decodeRead(bytesOf(response))).toBe('other')
  expect(decodeRead(delivered(undefined))).toBe('other')
})

test('bytes that end too early are an error', () => {
  const recorded = new RecordedEvent()
  recorded.setData(Buffer.from('{}'))
  const bytes = delivered(recorded)
  expect(() => decodeRead(bytes.subarray(0, bytes.length - 3))).toThrow(RangeError)
})
