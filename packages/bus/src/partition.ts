import type { Recorded } from '@tidings/codec'
import { asContactId, type ContactId, type WorkspaceId } from '@tidings/domain'

/** What decides about an event's partition: all events about one contact are in one, in the order of the log. */
export type Owner = Readonly<{ workspaceId: WorkspaceId; contactId: ContactId | null }>

/** The key of an event in Kafka. */
export function keyOf({ workspaceId, contactId }: Owner): string {
  return contactId === null ? workspaceId : `${workspaceId}:${contactId}`
}

/** Places a key as every Kafka client does, so that theirs and ours agree, over a count of our own: enlarging the topic changes nothing. */
export function partitionOf(key: string, partitions: number): number {
  return (murmur2(Buffer.from(key)) & 0x7fffffff) % partitions
}

/** The contact that an event's data is about. `contactId` is never personal and never renamed, so stored and decoded data say the same. */
export function contactIn(data: unknown): ContactId | null {
  const { contactId } = (data ?? {}) as Readonly<{ contactId?: unknown }>
  return typeof contactId === 'string' ? asContactId(contactId) : null
}

export function partitionOfEvent({ meta, data }: Recorded, partitions: number): number {
  return partitionOf(keyOf({ workspaceId: meta.workspaceId, contactId: contactIn(data) }), partitions)
}

const SEED = 0x9747b28c
const M = 0x5bd1e995

const mixed = (word: number): number => {
  const k = Math.imul(word, M)
  return Math.imul(k ^ (k >>> 24), M)
}

/** The hash by which Kafka's clients place a key (org.apache.kafka.common.utils.Utils.murmur2), as a signed 32-bit number. */
function murmur2(data: Buffer): number {
  const whole = data.length & ~3
  let hash = SEED ^ data.length
  for (let at = 0; at < whole; at += 4) hash = Math.imul(hash, M) ^ mixed(data.readInt32LE(at))
  if (data.length > whole) {
    for (let at = data.length - 1; at >= whole; at--) hash ^= (data[at] ?? 0) << (8 * (at - whole))
    hash = Math.imul(hash, M)
  }
  hash = Math.imul(hash ^ (hash >>> 13), M)
  return hash ^ (hash >>> 15)
}
