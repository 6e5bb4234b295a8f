import type { RecordedEvent } from '../port.ts'

/** Rows come as texts: the log parses its own five types faster than a general parser can, and never through a Date. */
export const RAW = { getTypeParser: () => (text: string) => text }

export type EventRow = readonly [
  position: string,
  stream: string,
  revision: string,
  id: string,
  type: string,
  data: string,
  meta: string,
  created: string,
]

export const EVENT_COLUMNS =
  'e.position, e.stream_id, e.revision, e.event_id, e.type, e.data, e.meta, (extract(epoch from e.created) * 1000)::bigint'

let lastMs: string | number = ''
let lastIso = ''
/** A batch of appends shares one time, so most rows repeat the last. */
export function isoOf(ms: string | number): string {
  if (ms === lastMs) return lastIso
  lastMs = ms
  lastIso = new Date(Number(ms)).toISOString()
  return lastIso
}

/** Columns behind the event's own are not looked at. */
export function eventOf([position, stream, revision, id, type, data, meta, created]: readonly [...EventRow, ...unknown[]]): RecordedEvent {
  return {
    id,
    type,
    data,
    meta,
    stream,
    revision: Number(revision),
    position: { commit: BigInt(position), prepare: 0n },
    created: isoOf(created),
  }
}
