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

/** The same with the bytes of its texts. */
type StoredBytes = Omit<StoredEvent, 'data' | 'meta'> & Readonly<{ data: Buffer; meta: Buffer }>

const sha256 = (text: string | Buffer): string => hash('sha256', text, 'hex')

/** The digest of each metadata. The events of one append follow each other in the log and have the same: it is kept. */
const digests = <Text extends string | Buffer>(isSame: (a: Text, b: Text) => boolean): ((meta: Text) => string) => {
  let last: Readonly<{ meta: Text; digest: string }> | undefined
  return (meta) => {
    if (last === undefined || !isSame(last.meta, meta)) last = { meta, digest: sha256(meta) }
    return last.digest
  }
}

const digestOfMeta = digests<string>((a, b) => a === b)

const leaf = ({ created, id, revision, stream, type }: Omit<StoredEvent, 'data' | 'meta'>, data: string, meta: string): Buffer => {
  const [of, named] = [JSON.stringify(stream), JSON.stringify(type)]
  const parts = `"data":"${data}","id":"${id}","meta":"${meta}"`
  return leafHash(`{"created":"${created}",${parts},"revision":${revision},"stream":${of},"type":${named}}`)
}

/**
 * The event as canonical JSON (RFC 8785), with the SHA-256 of `data` and `meta` in their place: so an event can be proven without being shown,
 * and a leaf costs half of what it would with their quotes escaped (4.5 to 2.3 µs).
 */
export function leafOf(event: StoredEvent): Buffer {
  return leaf(event, sha256(event.data), digestOfMeta(event.meta))
}

/** The leaves of events whose texts are bytes. */
export function leavesOf(events: readonly StoredBytes[]): readonly Buffer[] {
  const digestOfBytes = digests<Buffer>((a, b) => a.equals(b))
  return events.map((event) => leaf(event, sha256(event.data), digestOfBytes(event.meta)))
}
