import type { Encoding } from './encoding.ts'
import type { ExportedEvent } from './exported-event.ts'

const NOTHING = Buffer.alloc(0)

/** A JSON object a line. */
export function ndjson(): Encoding {
  return {
    add: (events) => Buffer.from(events.map(line).join('')),
    flush: () => NOTHING,
    end: () => NOTHING,
    isWhole: () => true,
    state: () => null,
  }
}

/** The JSON of data and metadata goes in as it is. */
const line = (event: ExportedEvent): string => `${lineStart(event)}${event.data}${BEFORE_META}${event.meta}${LINE_END}`

export const BEFORE_META = ',"meta":'
export const LINE_END = '}\n'

/** A line up to its data. No type that this build knows needs escapes; a stream's name may, because it holds text that a caller chose. */
export function lineStart(event: Omit<ExportedEvent, 'data' | 'meta'>): string {
  const { position, at, stream, revision, type, workspaceId, id, erased, ended } = event
  const of = `"workspaceId":${JSON.stringify(workspaceId)},${erased === null ? `"id":"${id}",` : erased ? '"erased":true,' : ''}`
  return `{"position":"${position}","at":"${at}","stream":${JSON.stringify(stream)},"revision":${revision},"type":"${type}",${of}${ended === null ? '' : `"ended":${JSON.stringify(ended)},`}"data":`
}
