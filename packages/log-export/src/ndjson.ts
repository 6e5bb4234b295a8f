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

/** The JSON of data and metadata goes in as it is. Only a stream's name may need escapes: it holds what a caller chose. */
const line = ({ position, at, stream, revision, type, workspaceId, id, erased, ended, data, meta }: ExportedEvent): string => {
  const of = `"workspaceId":${JSON.stringify(workspaceId)},${erased === null ? `"id":"${id}",` : erased ? '"erased":true,' : ''}`
  return `{"position":"${position}","at":"${at}","stream":${JSON.stringify(stream)},"revision":${revision},"type":${JSON.stringify(type)},${of}${ended === null ? '' : `"ended":${JSON.stringify(ended)},`}"data":${data},"meta":${meta}}\n`
}
