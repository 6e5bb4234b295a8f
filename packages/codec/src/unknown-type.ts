import type { RecordedEvent } from '@tidings/event-store'
import { UnknownEventType } from './errors.ts'
import { parseMeta } from './parse.ts'

const isOurs = (event: RecordedEvent): boolean => {
  try {
    parseMeta(event)
    return true
  } catch {
    return false
  }
}

/** The error for an event whose type nobody declared. It is ours where its meta is what `encode` writes. */
export const unknownType = (event: RecordedEvent): UnknownEventType =>
  new UnknownEventType({ type: event.type, version: null, ours: isOurs(event) }, event)
