import { hash } from 'node:crypto'
import type { CampaignId, FlowId, ListId, TemplateId, WorkspaceId } from '@tidings/domain'
import { randomPool } from './crypto/seal.ts'

const random = randomPool()

const dashed = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`

let lastMillisecond = 0
let counter = 0

/** The next place in time: within a millisecond (or while the clock is behind) a 12-bit counter counts on, as RFC 9562 §6.2 method 1. */
const tick = (seed: number): void => {
  const now = Date.now()
  if (now > lastMillisecond) {
    lastMillisecond = now
    counter = seed & 0x7ff
  } else if (++counter > 0xfff) {
    lastMillisecond++
    counter = 0
  }
}

/** A new id that sorts after every id this process made before (RFC 9562, version 7); `randomUUIDv7` of node:crypto does not promise that within a millisecond. */
export function uuidv7(): string {
  const bytes = random(16)
  tick(bytes.readUInt16BE(6))
  bytes.writeUIntBE(lastMillisecond, 0, 6)
  bytes.writeUInt16BE(0x7000 | counter, 6)
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return dashed(bytes.toString('hex'))
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const MAX_NAMESPACES = 1_024
const namespaces = new Map<string, Buffer>()

const namespaceBytes = (namespace: string): Buffer => {
  const known = namespaces.get(namespace)
  if (known) return known
  if (!UUID.test(namespace)) throw new TypeError(`not a UUID: ${namespace}`)
  const bytes = Buffer.from(namespace.replaceAll('-', ''), 'hex')
  if (namespaces.size >= MAX_NAMESPACES) namespaces.clear()
  namespaces.set(namespace, bytes)
  return bytes
}

let scratch = Buffer.allocUnsafeSlow(512)
/** Maps a hexadecimal digit to the one with the two bits of RFC 9562's variant. */
const VARIANTS = '89ab89ab89ab89ab'

/** The id of `name` inside `namespace`: the same two always give the same id (RFC 9562, version 5). */
export function uuidv5(name: string, namespace: string): string {
  const needed = 16 + name.length * 3
  if (needed > scratch.length) scratch = Buffer.allocUnsafeSlow(needed)
  namespaceBytes(namespace).copy(scratch, 0)
  const length = 16 + scratch.write(name, 16, 'utf8')
  const hex = hash('sha1', scratch.subarray(0, length), 'hex')
  const variant = VARIANTS[Number.parseInt(hex[16]!, 16)]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

const EVENT_NAMESPACE = 'b3d0f6a4-6a57-5c0e-9a3e-6d1b1c7f2e90'

/** The id of the `n`-th event that a command appends to a stream; what makes a repeated append recognisable. Fixed for ever. */
export function eventId(commandId: string, stream: string, n: number): string {
  return uuidv5(`${commandId}|${stream}|${n}`, EVENT_NAMESPACE)
}

/** The id of the delivery of an event, by its public name and the id of its cause, to an endpoint: the same for every attempt, in every process. */
export function webhookDeliveryId({ event, causeId, endpointId }: Readonly<Record<'event' | 'causeId' | 'endpointId', string>>): string {
  return uuidv5(`${event} ${causeId}`, endpointId)
}

type RecordKind = 'template' | 'sender' | 'tag' | 'list' | 'field' | 'event' | 'campaign' | 'connector' | 'flow'

/** Records with a natural key have the id that key gives them, so applying a file twice names the same records. */
export function recordIdOf(workspaceId: WorkspaceId, kind: 'template', key: string): TemplateId
export function recordIdOf(workspaceId: WorkspaceId, kind: 'list', key: string): ListId
export function recordIdOf(workspaceId: WorkspaceId, kind: 'campaign', key: string): CampaignId
export function recordIdOf(workspaceId: WorkspaceId, kind: 'flow', key: string): FlowId
export function recordIdOf(workspaceId: WorkspaceId, kind: RecordKind, key: string): string
export function recordIdOf(workspaceId: WorkspaceId, kind: RecordKind, key: string): string {
  return uuidv5(`${kind}:${key}`, workspaceId)
}
