import { hash } from 'node:crypto'
import type { RecordedEvent } from '@tidings/event-store'
import { HASH_BYTES, leafHash, writeLeaf } from './tree/hash.ts'

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

type Digests = Readonly<{ data: string; meta: string }>

const canonical = ({ created, id, revision, stream, type }: Omit<StoredEvent, 'data' | 'meta'>, { data, meta }: Digests): string => {
  const [of, named] = [JSON.stringify(stream), JSON.stringify(type)]
  const parts = `"data":"${data}","id":"${id}","meta":"${meta}"`
  return `{"created":"${created}",${parts},"revision":${revision},"stream":${of},"type":${named}}`
}

/**
 * The event as canonical JSON (RFC 8785), with the SHA-256 of `data` and `meta` in their place: so an event can be proven without being shown,
 * and a leaf costs half of what it would with their quotes escaped (4.5 to 2.3 µs).
 */
export function leafOf(event: StoredEvent): Buffer {
  return leafHash(canonical(event, { data: sha256(event.data), meta: digestOfMeta(event.meta) }))
}

/** The leaves of events whose texts are bytes, one behind the other. */
export function leavesOf(events: readonly StoredBytes[]): Buffer {
  const digestOfBytes = digests<Buffer>((a, b) => a.equals(b))
  const leaves = Buffer.allocUnsafeSlow(events.length * HASH_BYTES)
  for (const [n, event] of events.entries())
    writeLeaf(leaves, n * HASH_BYTES, canonical(event, { data: sha256(event.data), meta: digestOfBytes(event.meta) }))
  return leaves
}
