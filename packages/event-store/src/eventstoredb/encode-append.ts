import type { EventToAppend, ExpectedRevision } from '../port.ts'
import { delimitedSize, ProtobufWriter, textSize, varintSize } from './protobuf-writer.ts'

/** `id` correlates the answer with it. */
export type AppendRequest = Readonly<{ id: string; message: Buffer }>

/** Field numbers and types of BatchAppendReq, its options and its messages. */
const TAG = {
  ...{ correlationId: 0x0a, options: 0x12, proposedMessage: 0x1a, isFinal: 0x20 },
  ...{ uuidString: 0x12, streamIdentifier: 0x0a, streamName: 0x1a },
  ...{ streamPosition: 0x10, noStream: 0x1a, any: 0x22, streamExists: 0x2a },
  ...{ id: 0x0a, metadata: 0x12, customMetadata: 0x1a, data: 0x22, key: 0x0a, value: 0x12 },
} as const

const FINAL_SIZE = 2
const UUID_LENGTH = 36

const TYPE_KEY = 'type'

/**
 * One BatchAppendReq with an id of its own. gRPC servers take messages of 4 MiB; appends end at 1 MiB, so one part carries any of them. The texts
 * go out byte for byte. By hand: for an event of 1.8 KB the generated classes take 16 to 18 µs, this 5.
 */
export function encodeAppend(stream: string, expected: ExpectedRevision, events: readonly EventToAppend[]): AppendRequest {
  const id = crypto.randomUUID()
  const sizes = events.map(eventSize)
  const writer = new ProtobufWriter(requestSize(stream, expected, sizes))
  writer.open(TAG.correlationId, textSize(id))
  writer.text(TAG.uuidString, id)
  writer.open(TAG.options, optionsSize(stream, expected))
  writer.open(TAG.streamIdentifier, textSize(stream))
  writer.text(TAG.streamName, stream)
  writeExpected(writer, expected)
  for (const [n, event] of events.entries()) {
    writer.open(TAG.proposedMessage, sizes[n] ?? 0)
    writeEvent(writer, event)
  }
  writer.varint(TAG.isFinal, 1)
  return { id, message: writer.bytes }
}

/** Bytes of the message of an append. */
export function appendSize(stream: string, expected: ExpectedRevision, events: readonly EventToAppend[]): number {
  return requestSize(stream, expected, events.map(eventSize))
}

const requestSize = (stream: string, expected: ExpectedRevision, sizes: readonly number[]): number =>
  sizes.reduce(
    (sum, size) => sum + delimitedSize(size),
    delimitedSize(delimitedSize(UUID_LENGTH)) + delimitedSize(optionsSize(stream, expected)) + FINAL_SIZE,
  )

const optionsSize = (stream: string, expected: ExpectedRevision): number => delimitedSize(textSize(stream)) + expectedSize(expected)

/**
 * Without a deadline on purpose: on this wire it is a time of day by the client's clock, and a server whose clock is ahead answers
 * every append with a timeout. The server's own write timeout and the appender's timer bound the wait instead.
 */
const writeExpected = (writer: ProtobufWriter, expected: ExpectedRevision): void => {
  if (expected === 'any') writer.open(TAG.any, 0)
  else if (expected === 'no_stream') writer.open(TAG.noStream, 0)
  else if (expected === 'stream_exists') writer.open(TAG.streamExists, 0)
  else writer.varint(TAG.streamPosition, expected)
}

const expectedSize = (expected: ExpectedRevision): number => (typeof expected === 'number' ? 1 + varintSize(expected) : delimitedSize(0))

const entrySize = (key: string, value: string): number => textSize(key) + textSize(value)

const writeEntry = (writer: ProtobufWriter, key: string, value: string): void => {
  writer.open(TAG.metadata, entrySize(key, value))
  writer.text(TAG.key, key)
  writer.text(TAG.value, value)
}

const createEntry = (key: string, value: string): Buffer => {
  const writer = new ProtobufWriter(delimitedSize(entrySize(key, value)))
  writeEntry(writer, key, value)
  return writer.bytes
}

const JSON_CONTENT = createEntry('content-type', 'application/json')

const eventSize = ({ id, type, data, meta }: EventToAppend): number =>
  delimitedSize(textSize(id)) +
  JSON_CONTENT.length +
  delimitedSize(entrySize(TYPE_KEY, type)) +
  (meta === '' ? 0 : textSize(meta)) +
  (data === '' ? 0 : textSize(data))

const writeEvent = (writer: ProtobufWriter, { id, type, data, meta }: EventToAppend): void => {
  writer.open(TAG.id, textSize(id))
  writer.text(TAG.uuidString, id)
  writer.raw(JSON_CONTENT)
  writeEntry(writer, TYPE_KEY, type)
  if (meta !== '') writer.text(TAG.customMetadata, meta)
  if (data !== '') writer.text(TAG.data, data)
}
