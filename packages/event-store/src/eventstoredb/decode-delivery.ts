import type { Position, RecordedEvent } from '../port.ts'
import { createdAt, isOfServer } from './decode-event.ts'
import { textIn } from './decode-parts.ts'
import { safeRevision } from './protobuf.ts'
import { ProtobufReader } from './protobuf-reader.ts'

/** What a subscription brings: a record, without an event where it is the server's own; that it has caught up; what does not matter here. */
export type Delivery = Readonly<{ position: Position; event: RecordedEvent | undefined }> | 'caught up' | 'other'

/** Numbers of the fields of ReadResp and of the messages within it. */
const ANSWER = { event: 1, caughtUp: 8 } as const
const READ_EVENT = { event: 1 } as const
const RECORDED = { id: 1, stream: 2, revision: 3, prepare: 4, commit: 5, metadata: 6, customMetadata: 7, data: 8 } as const
const [UUID_STRING, STREAM_NAME] = [2, 3]
const ENTRY = { key: 1, value: 2 } as const

/**
 * Decodes one message of a subscription. Throws RangeError where the bytes are no message, and for an event's revision past 2^53. By hand: for an
 * event of 1.8 KB the generated classes take 15 µs, this 4.
 */
export function decodeDelivery(bytes: Buffer): Delivery {
  let delivery: Delivery = 'other'
  for (const answer = new ProtobufReader(bytes); answer.next(); ) {
    if (answer.field === ANSWER.event) delivery = decodeReadEvent(answer.message())
    else if (answer.field === ANSWER.caughtUp) delivery = 'caught up'
  }
  return delivery
}

const decodeReadEvent = (read: ProtobufReader): Delivery => {
  let delivery: Delivery = 'other'
  while (read.next()) if (read.field === READ_EVENT.event) delivery = decodeRecorded(read.message())
  return delivery
}

const decodeRecorded = (recorded: ProtobufReader): Delivery => {
  const event = { id: '', stream: '', type: '', data: '', meta: '' }
  let [revision, commit, prepare, ticks] = ['0', 0n, 0n, '0']
  while (recorded.next()) {
    switch (recorded.field) {
      case RECORDED.id:
        event.id = textIn(recorded.message(), UUID_STRING)
        break
      case RECORDED.stream:
        event.stream = textIn(recorded.message(), STREAM_NAME)
        break
      case RECORDED.revision:
        revision = String(recorded.bigint())
        break
      case RECORDED.prepare:
        prepare = recorded.bigint()
        break
      case RECORDED.commit:
        commit = recorded.bigint()
        break
      case RECORDED.metadata: {
        const { key, value } = decodeEntry(recorded.message())
        if (key === 'type') event.type = value
        else if (key === 'created') ticks = value
        break
      }
      case RECORDED.customMetadata:
        event.meta = recorded.text()
        break
      case RECORDED.data:
        event.data = recorded.text()
    }
  }
  const position = { commit, prepare }
  if (isOfServer(event)) return { position, event: undefined }
  return { position, event: { ...event, revision: safeRevision(revision), position, created: createdAt(ticks) } }
}

const decodeEntry = (entry: ProtobufReader): Readonly<{ key: string; value: string }> => {
  let [key, value] = ['', '']
  while (entry.next()) {
    if (entry.field === ENTRY.key) key = entry.text()
    else if (entry.field === ENTRY.value) value = entry.text()
  }
  return { key, value }
}
