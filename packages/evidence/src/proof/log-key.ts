import { createHash, createPrivateKey, createPublicKey, hkdfSync, sign, verify } from 'node:crypto'
import type { KeyRing } from '@tidings/codec'
import { canonical } from '../../verifiers/verify.mjs'

/** PKCS #8 and SPKI of Ed25519 (RFC 8410) before the 32 bytes of the key. */
const PRIVATE = Buffer.from('302e020100300506032b657004220420', 'hex')
const PUBLIC = Buffer.from('302a300506032b6570032100', 'hex')
const KEY_BYTES = 32

/** Signs for the log of this installation. `publicKey`: 32 bytes as hex; `fingerprint`: their SHA-256, by which people compare keys. */
export type LogKey = Readonly<{
  publicKey: string
  fingerprint: string
  /** Ed25519 over the canonical JSON of the value, as hex. */
  sign: (value: object) => string
  isSigned: (value: object, signature: string) => boolean
}>

/** The key comes from the installation's secret, so every process has the same, and it outlives rotations of the master key and restores. */
export async function openLogKey(keyRing: Pick<KeyRing, 'installationSecret'>): Promise<LogKey> {
  return logKeyOf(Buffer.from(hkdfSync('sha256', await keyRing.installationSecret(), '', 'tidings log key v1', KEY_BYTES)))
}

/** The key of these 32 secret bytes. */
export function logKeyOf(seed: Buffer): LogKey {
  const privateKey = createPrivateKey({ key: Buffer.concat([PRIVATE, seed]), format: 'der', type: 'pkcs8' })
  const publicKey = createPublicKey(privateKey)
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(PUBLIC.length)
  return {
    publicKey: raw.toString('hex'),
    fingerprint: createHash('sha256').update(raw).digest('hex'),
    sign: (value) => sign(null, Buffer.from(canonical(value)), privateKey).toString('hex'),
    isSigned: (value, signature) => verify(null, Buffer.from(canonical(value)), publicKey, Buffer.from(signature, 'hex')),
  }
}
