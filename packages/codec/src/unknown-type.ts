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

/** The error for an event of an undeclared type. `ours`: its meta is as `encode` writes it. */
export function unknownType(event: RecordedEvent): UnknownEventType {
  return new UnknownEventType({ type: event.type, version: null, ours: isOurs(event) }, event)
}
