import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import type { WorkspaceId } from '@tidings/domain'
import { seal, unseal } from '../crypto/seal.ts'
import { WrongMasterKey } from '../errors.ts'

/**
 * The purposes of derived keys: one key each. All of them are stored when a master key is replaced, so a purpose
 * that is not listed here cannot be derived.
 */
export const PURPOSES = [
  'confirmed mailbox v1',
  'link token tag v1',
  'link token text v1',
  'passcode digest v1',
  'return path tag v1',
  'unsubscribe tag v1',
] as const
export type Purpose = (typeof PURPOSES)[number]

/**
 * Wraps the keys of subjects and the secrets of workspaces. `id` and `checkValue` tell master keys apart and reveal nothing;
 * `text` is the key itself, as 64 hex digits; `from` names the variable or the file that has it.
 */
export type MasterKey = Readonly<{
  id: string
  from: string
  checkValue: Buffer
  wrapping: KeyObject
  text: string
  derive: (purpose: Purpose) => KeyObject
}>

const KEY_BYTES = 32
const ID_BYTES = 4
const HEX = /^[0-9a-f]{64}$/i
const BASE64 = /^[A-Za-z0-9+/_-]{43}=?$/

/** The place of a master key that no file has. */
export const VARIABLE = 'TIDINGS_MASTER_KEY'

const bytesOf = (text: string): Buffer | null => {
  const trimmed = text.trim()
  const bytes = HEX.test(trimmed) ? Buffer.from(trimmed, 'hex') : BASE64.test(trimmed) ? Buffer.from(trimmed, 'base64') : null
  return bytes?.length === KEY_BYTES ? bytes : null
}

/** Whether a text is a master key. */
export function isMasterKey(text: string): boolean {
  return bytesOf(text) !== null
}

/** Reads a master key: 32 bytes as hex (64 digits) or base64. Throws one sentence that names its place, without the value. */
export function parseMasterKey(text: string, from = VARIABLE): MasterKey {
  const bytes = bytesOf(text)
  if (bytes === null) throw new WrongMasterKey(`${from} must be 32 bytes, as 64 hex digits or as base64.`)
  const derive = (purpose: string) => createSecretKey(Buffer.from(hkdfSync('sha256', bytes, '', `tidings ${purpose}`, KEY_BYTES)))
  const checkValue = createHmac('sha256', derive('master key check')).update('v1').digest()
  const id = checkValue.toString('hex', 0, ID_BYTES)
  return { id, from, checkValue, wrapping: derive('key wrap v1'), text: bytes.toString('hex'), derive }
}

/** The master key's id, then the sealed bytes. `context` names whose key it is: a wrapped key moved to another row does not open. */
export function wrap(master: MasterKey, bytes: Buffer, context: string): Buffer {
  return Buffer.concat([Buffer.from(master.id, 'hex'), seal(master.wrapping, bytes, context)])
}

/** The owner of a wrapped key. Stored for ever, in sealed data. */
export function subjectKeyContext(workspaceId: WorkspaceId, subject: string, version: number): string {
  return `${workspaceId}/${subject}/${version}`
}
export function workspaceSecretContext(workspaceId: WorkspaceId): string {
  return `${workspaceId}/secret`
}

/** The id of the master key that wrapped it. */
export function masterKeyIdOf(wrapped: Buffer): string {
  return wrapped.toString('hex', 0, ID_BYTES)
}

/** Opens what `wrap` made with the one of `masters` that made it. */
export function unwrap(masters: readonly MasterKey[], wrapped: Buffer, context: string): Buffer {
  const id = masterKeyIdOf(wrapped)
  const master = masters.find((candidate) => candidate.id === id)
  if (!master) throw new WrongMasterKey(`The key of ${context} is wrapped by the master key ${id}, which was not given.`)
  return unseal(master.wrapping, wrapped.subarray(ID_BYTES), context)
}
