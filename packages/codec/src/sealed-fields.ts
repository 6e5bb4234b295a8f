import { seal, unseal } from './crypto/seal.ts'
import type { SubjectKey } from './keys/key-ring.ts'

/** The personal fields of one event, sealed together: the value of `$enc`. Stored for ever: docs/adr/0001. */
export type SealedFields = Readonly<{
  /** Version of this format. */
  v: 1
  /** The data subject; its key is one of the event's workspace. */
  s: string
  /** Version of the subject's key. */
  k: number
  /** Base64 of nonce (12 bytes), ciphertext and tag (16 bytes) of AES-256-GCM over the fields as JSON. */
  b: string
}>

export const SEALED = '$enc'

/** What a blob is bound to: moved to another event, type, subject or schema version it does not open. */
type Binding = Readonly<{ id: string; type: string; schemaVersion: number }>

const contextOf = (binding: Binding, subject: string, keyVersion: number): string =>
  `1|${keyVersion}|${binding.schemaVersion}|${binding.id}|${binding.type}|${subject}`

/** The JSON text of the blob. Only `subject` may need escapes. */
export function sealFields(fields: string, binding: Binding, subject: string, key: SubjectKey): string {
  const sealed = seal(key.key, fields, contextOf(binding, subject, key.version))
  return `{"v":1,"s":${JSON.stringify(subject)},"k":${key.version},"b":"${sealed.toString('base64')}"}`
}

/** The fields as the JSON text that was sealed. Throws when the blob was changed, or made for another event. */
export function openFields(fields: SealedFields, binding: Binding, key: SubjectKey): string {
  return unseal(key.key, Buffer.from(fields.b, 'base64'), contextOf(binding, fields.s, fields.k)).toString('utf8')
}

const HEAD = `"${SEALED}":{"v":1,"s":"`
const KEY = '","k":'
const BODY = ',"b":"'
const END = '"}}'

/**
 * Takes the blob out of an event's text as `encode` writes it: last, under a subject without escapes. Null for any other text, which has
 * to be parsed to know what it holds. A quote inside a JSON string is escaped, so all that is looked for can only be the structure's
 * own; and `"}}` right behind a blob ends the whole, so it is no deeper field of that name. Measured: 0.6 µs; parsing it all 1.3 µs.
 */
export function cutSealed(text: string): Readonly<{ clear: string; sealed: SealedFields }> | null {
  const at = text.lastIndexOf(HEAD)
  const key = text.indexOf(KEY, at + HEAD.length)
  const body = text.indexOf(BODY, key + KEY.length)
  const end = text.length - END.length
  if (at < 1 || key < 0 || body < 0 || !text.endsWith(END) || text.indexOf('"', body + BODY.length) !== end) return null
  const s = text.slice(at + HEAD.length, key)
  const k = Number(text.slice(key + KEY.length, body))
  if (s === '' || s.includes('\\') || s.includes('"') || !Number.isInteger(k)) return null
  const clear = text.slice(0, text[at - 1] === ',' ? at - 1 : at)
  return { clear: `${clear}}`, sealed: { v: 1, s, k, b: text.slice(body + BODY.length, end) } }
}

/** The personal fields are sealed as a newer build does it. */
export class UnknownSealFormat extends Error {
  override readonly name = 'UnknownSealFormat'
  readonly format: number
  constructor(format: number) {
    super(`unknown format ${format} of the sealed fields`)
    this.format = format
  }
}

/** Reads a blob's envelope. Throws `UnknownSealFormat`, or what is wrong with it. */
export function asSealedFields(value: unknown): SealedFields {
  const fields = value as (Partial<Omit<SealedFields, 'v'>> & Readonly<{ v?: unknown }>) | null
  if (typeof fields?.v === 'number' && Number.isInteger(fields.v) && fields.v > 1) throw new UnknownSealFormat(fields.v)
  if (typeof fields !== 'object' || fields?.v !== 1) throw new Error('unknown format of the sealed fields')
  if (typeof fields.s !== 'string' || typeof fields.k !== 'number' || typeof fields.b !== 'string')
    throw new Error('the sealed fields are cut short')
  return fields as SealedFields
}
