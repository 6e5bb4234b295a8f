import type { RecordedEvent } from '@tidings/event-store'
import { leafHash } from './tree/hash.ts'

/**
 * What a leaf is made of: an event as the store keeps it, personal fields encrypted. Not its position, which is the adapter's own; the
 * order is that of the leaves. Fixed for ever.
 */
export type StoredEvent = Readonly<{
  created: string
  data: string
  id: string
  meta: string
  revision: number
  stream: string
  type: string
}>

export function storedEvent({ created, data, id, meta, revision, stream, type }: RecordedEvent): StoredEvent {
  return { created, data, id, meta, revision, stream, type }
}

/** RFC 8785. Put together by hand, which takes half the time of sorting and escaping everything; only these can need an escape. */
export function leafText({ created, data, id, meta, revision, stream, type }: StoredEvent): string {
  const [body, about, of, named] = [JSON.stringify(data), JSON.stringify(meta), JSON.stringify(stream), JSON.stringify(type)]
  return `{"created":"${created}","data":${body},"id":"${id}","meta":${about},"revision":${revision},"stream":${of},"type":${named}}`
}

export function leafOf(event: StoredEvent): Buffer {
  return leafHash(leafText(event))
}
