import { hash } from 'node:crypto'
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

const sha256 = (text: string): string => hash('sha256', text, 'hex')

let lastMeta = ''
let lastDigest = sha256(lastMeta)
/** The events of one append follow each other in the log and have the same metadata. */
const digestOfMeta = (meta: string): string => {
  if (meta === lastMeta) return lastDigest
  lastDigest = sha256(meta)
  lastMeta = meta
  return lastDigest
}

/**
 * The event as canonical JSON (RFC 8785), with the SHA-256 of `data` and `meta` in their place: so an event can be proven without being shown,
 * and a leaf costs half of what it would with their quotes escaped (4.5 to 2.3 µs).
 */
export function leafOf({ created, data, id, meta, revision, stream, type }: StoredEvent): Buffer {
  const [of, named] = [JSON.stringify(stream), JSON.stringify(type)]
  const parts = `"data":"${sha256(data)}","id":"${id}","meta":"${digestOfMeta(meta)}"`
  return leafHash(`{"created":"${created}",${parts},"revision":${revision},"stream":${of},"type":${named}}`)
}
