import type { KeyObject } from 'node:crypto'
import { DETAIL_KINDS, type DetailKind } from '@tidings/domain'
import { seal, unseal } from './crypto/seal.ts'
import { UnknownSealFormat } from './errors.ts'

/** Details of one kind, sealed under the key of their week; they lie inside of what the person's key seals. */
export type Layer = Readonly<{ kind: DetailKind; sealed: Buffer }>

/** What the clear part of a blob says about its layers, in their order. */
export type Period = Readonly<{ week: string; kinds: readonly DetailKind[] }>

const LENGTH_BYTES = 4

/** Stored for ever: a week and its kinds, as in `2026-11-23 client content`. */
export function periodText({ week, kinds }: Period): string {
  return `${week} ${kinds.join(' ')}`
}

const isKind = (kind: string): kind is DetailKind => (DETAIL_KINDS as readonly string[]).includes(kind)

let lastText = ''
let lastPeriod: Period | undefined

/** Throws `UnknownSealFormat` for a kind that a newer build knows, and on what no build has written. Remembers one: those of a batch are mostly the same. */
export function parsePeriod(text: string): Period {
  if (lastPeriod !== undefined && text === lastText) return lastPeriod
  const [week = '', ...kinds] = text.split(' ')
  if (!/^\d{4}-\d{2}-\d{2}$/.test(week) || kinds.length === 0 || kinds.includes('')) throw new Error('its period is not what we write')
  if (!kinds.every(isKind)) throw new UnknownSealFormat(`2 with the details ${kinds.filter((kind) => !isKind(kind)).join(' ')}`)
  lastPeriod = { week, kinds }
  lastText = text
  return lastPeriod
}

/** The data subject whose key seals these details, in a workspace. */
export function periodSubject(kind: DetailKind, week: string): string {
  return `period:${kind}:${week}`
}

const contextOf = (kind: DetailKind, id: string): string => `2|${kind}|${id}`

/** Bound to the event and the kind. */
export function sealLayer(fields: string, kind: DetailKind, id: string, key: KeyObject): Buffer {
  return seal(key, fields, contextOf(kind, id))
}

export function openLayer({ kind, sealed }: Layer, id: string, key: KeyObject): string {
  return unseal(key, sealed, contextOf(kind, id)).toString('utf8')
}

/** The length of the fields (4 bytes) and the fields, then the same of each layer. */
export function joinLayers(fields: string, layers: readonly Buffer[]): Buffer {
  const length = Buffer.byteLength(fields)
  const joined = Buffer.allocUnsafe(layers.reduce((sum, layer) => sum + LENGTH_BYTES + layer.length, LENGTH_BYTES + length))
  let at = joined.writeUInt32BE(length)
  at += joined.write(fields, at)
  for (const layer of layers) {
    at = joined.writeUInt32BE(layer.length, at)
    at += layer.copy(joined, at)
  }
  return joined
}

/** The bytes that `joinLayers` made. */
export function splitLayers(plain: Buffer, { kinds }: Period): Readonly<{ text: string; layers: readonly Layer[] }> {
  const parts: Buffer[] = []
  for (let at = 0; at < plain.length; ) {
    const start = at + LENGTH_BYTES
    at = start + plain.readUInt32BE(at)
    parts.push(plain.subarray(start, at))
  }
  const [fields, ...sealed] = parts
  if (fields === undefined || sealed.length !== kinds.length) throw new Error('its layers are not what we write')
  return { text: fields.toString('utf8'), layers: kinds.map((kind, n) => ({ kind, sealed: sealed[n]! })) }
}
