import { asWorkspaceId } from '@tidings/domain'
import type { Position, RecordedEvent } from '@tidings/event-store'
import type { KafkaMessage, Message } from 'kafkajs'
import { contactIn, keyOf } from '../partition.ts'

/**
 * The description that the topic has of an event. The value is the stored data as it stands in the log, what is personal still sealed; `event` is null
 * where it was too large to send and has to be read there. `previous`: the last event that was published to the partition before this one.
 */
export type RecordRead = Readonly<{ type: string; position: Position; previous: Position; relay: string; event: RecordedEvent | null }>

/** An event on its way to the topic; `bytes` is about what it takes there. */
export type Outgoing = Readonly<{
  event: RecordedEvent
  key: string
  headers: Readonly<Record<string, string>>
  value: Buffer
  bytes: number
}>

/** The fields that a record needs beside its value. */
const ENVELOPE_BYTES = 300

const objectIn = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
  } catch {
    // Consumers find it as broken as it is, and set it aside.
    return {}
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')

const textOfPosition = ({ commit, prepare }: Position): string => `${commit}/${prepare}`

/** The record of a stored event, but for the partition's part. Looks into it only for what it is filed under. */
export function outgoing(event: RecordedEvent): Outgoing {
  const { workspaceId, requestId, schemaVersion } = objectIn(event.meta)
  const value = Buffer.from(event.data)
  const headers = {
    'event-id': event.id,
    type: event.type,
    'schema-version': textOf(schemaVersion),
    workspace: textOf(workspaceId),
    'correlation-id': textOf(requestId),
  }
  const key = keyOf({ workspaceId: asWorkspaceId(textOf(workspaceId)), contactId: contactIn(objectIn(event.data)) })
  return { event, key, headers, value, bytes: value.length + 2 * event.meta.length + ENVELOPE_BYTES }
}

type InPartition = Readonly<{ partition: number; previous: Position; relay: string; withValue: boolean }>

/**
 * The record at its position. Without its value it only names an event. Everything that only our readers use is in one header, because kafkajs
 * fills a buffer of 512 bytes for each header (13 headers took half of the relay's time).
 */
export function messageOf({ event, key, headers, value }: Outgoing, { partition, previous, relay, withValue }: InPartition): Message {
  return {
    key,
    partition,
    value: withValue ? value : null,
    timestamp: String(Date.parse(event.created)),
    headers: {
      ...headers,
      position: textOfPosition(event.position),
      previous: textOfPosition(previous),
      stored: `${relay} ${event.revision} ${event.created} ${event.stream}\n${event.meta}`,
    },
  }
}

const positionIn = (text: string): Position | null => {
  const [, commit, prepare] = /^(-?\d{1,19})\/(-?\d{1,19})$/.exec(text) ?? []
  return commit !== undefined && prepare !== undefined ? { commit: BigInt(commit), prepare: BigInt(prepare) } : null
}

const STORED = /^(\S+) (\d{1,10}) (\S+) (.+)\n([\s\S]+)$/

/**
 * Decodes a record; null when no relay wrote it. The data of an event whose type is not `wanted` stays empty: a dozen groups of a process
 * read each record, and only one or two of them need it.
 */
export function readRecord(
  { headers = {}, value }: Pick<KafkaMessage, 'headers' | 'value'>,
  wanted?: ReadonlySet<string>,
): RecordRead | null {
  const header = (name: string): string => {
    const found = headers[name]
    return found === undefined || Array.isArray(found) ? '' : found.toString()
  }
  const [position, previous] = [positionIn(header('position')), positionIn(header('previous'))]
  const [type, id] = [header('type'), header('event-id')]
  const [, relay, revision, created, stream, meta] = STORED.exec(header('stored')) ?? []
  if (!position || !previous || !type || !id || !relay || !created || !stream || !meta) return null
  if (value === null) return { type, position, previous, relay, event: null }
  const data = wanted === undefined || wanted.has(type) ? value.toString() : ''
  return { type, position, previous, relay, event: { id, type, stream, revision: Number(revision), position, created, meta, data } }
}
