import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeDelivery } from './decode-delivery.ts'
import { decodeEvent, positionOf } from './decode-event.ts'
import { shared, streamIdentifier, streams, uuid } from './protobuf.ts'

const { ReadResp } = streams
const { RecordedEvent } = ReadResp.ReadEvent

const uint64 = fc.oneof(fc.nat().map(String), fc.bigInt(0n, 2n ** 64n - 1n).map(String))
const text = fc.string({ unit: 'grapheme', maxLength: 300 })
const name = fc.oneof(text, fc.constantFrom('$metadata', '$$thing-1', '$'))

const recordedEvent = fc
  .record({
    ...{ id: fc.uuid(), stream: name, type: name, revision: fc.nat(Number.MAX_SAFE_INTEGER), commit: uint64, prepare: uint64 },
    ...{ created: fc.nat(Number.MAX_SAFE_INTEGER), data: text, meta: text },
  })
  .map((of) => {
    const recorded = new RecordedEvent()
    recorded.setId(uuid(of.id))
    recorded.setStreamIdentifier(streamIdentifier(of.stream))
    recorded.setStreamRevision(String(of.revision))
    recorded.setCommitPosition(of.commit)
    recorded.setPreparePosition(of.prepare)
    recorded.getMetadataMap().set('content-type', 'application/json').set('type', of.type).set('created', String(of.created))
    recorded.setData(Buffer.from(of.data))
    recorded.setCustomMetadata(Buffer.from(of.meta))
    return recorded
  })

const bytesOf = (response: streams.ReadResp): Buffer => Buffer.from(response.serializeBinary())

const delivered = (recorded: streams.ReadResp.ReadEvent.RecordedEvent | undefined): Buffer => {
  const event = new ReadResp.ReadEvent()
  event.setEvent(recorded)
  event.setCommitPosition('12')
  const response = new ReadResp()
  response.setEvent(event)
  return bytesOf(response)
}

test('an event is what the generated classes read', () => {
  fc.assert(
    fc.property(recordedEvent, (recorded) => {
      expect(decodeDelivery(delivered(recorded))).toEqual({ position: positionOf(recorded), event: decodeEvent(recorded) })
    }),
  )
})

test('a record of the server may have a revision that a number cannot hold, an event may not', () => {
  const recorded = new RecordedEvent()
  recorded.setStreamRevision('9223372036854775807')
  recorded.getMetadataMap().set('type', '$streamDeleted')
  expect(decodeDelivery(delivered(recorded))).toEqual({ position: { commit: 0n, prepare: 0n }, event: undefined })
  recorded.getMetadataMap().set('type', 'ThingHappened')
  expect(() => decodeDelivery(delivered(recorded))).toThrow('beyond what a number holds exactly')
})

test('of everything else only "caught up" matters', () => {
  const response = new ReadResp()
  response.setCaughtUp(new ReadResp.CaughtUp())
  expect(decodeDelivery(bytesOf(response))).toBe('caught up')
  const checkpoint = new ReadResp.Checkpoint()
  checkpoint.setCommitPosition('7')
  response.setCheckpoint(checkpoint)
  expect(decodeDelivery(bytesOf(response))).toBe('other')
  response.setConfirmation(new ReadResp.SubscriptionConfirmation())
  expect(decodeDelivery(bytesOf(response))).toBe('other')
  const last = new shared.AllStreamPosition()
  last.setCommitPosition('18446744073709551615')
  response.setLastAllStreamPosition(last)
  expect(decodeDelivery(bytesOf(response))).toBe('other')
  expect(decodeDelivery(delivered(undefined))).toBe('other')
})

test('bytes that end too early are an error', () => {
  const recorded = new RecordedEvent()
  recorded.setData(Buffer.from('{}'))
  const bytes = delivered(recorded)
  const response = new ReadResp()
  response.setFirstStreamPosition('1')
  expect(() => decodeDelivery(bytes.subarray(0, bytes.length - 3))).toThrow(RangeError)
})
