import type { Recorded } from '@tidings/codec'
import type { ContactId, WorkspaceId } from '@tidings/domain'
import { murmur2 } from './murmur2.ts'

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
export function contactIn(data: unknown): string | null {
  const { contactId } = (data ?? {}) as Readonly<{ contactId?: unknown }>
  return typeof contactId === 'string' ? contactId : null
}

export function partitionOfEvent({ meta, data }: Recorded, partitions: number): number {
  return partitionOf(keyOf({ workspaceId: meta.workspaceId, contactId: contactIn(data) }), partitions)
}
