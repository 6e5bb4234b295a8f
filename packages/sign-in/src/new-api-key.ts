import { createHash, randomBytes } from 'node:crypto'
import type { AskedBy, CreateApiKey } from '@tidings/domain'

/** The command that creates a key, and the whole key, which exists here and nowhere else. */
export type NewApiKey = Readonly<{ key: string; command: CreateApiKey }>

/** 256 random bits behind the prefix of the contract; only its SHA-256 is ever stored. */
export function newApiKey({ keyId, name, by }: Readonly<{ keyId: string; name: string; by: AskedBy }>): NewApiKey {
  const key = `sk_evt_${randomBytes(32).toString('hex')}`
  const hash = createHash('sha256').update(key).digest('hex')
  return { key, command: { type: 'CreateApiKey', data: { keyId, name, prefix: key.slice(0, 'sk_evt_'.length + 8), hash, ...by } } }
}
