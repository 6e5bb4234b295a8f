import { createHash, randomBytes } from 'node:crypto'
import { type ApiKeyId, type ApiKeyKind, type AskedBy, apiKeyPrefix, type CreateApiKey } from '@tidings/domain'

/** The command that creates a key, and the whole key, which exists here and nowhere else. */
export type NewApiKey = Readonly<{ key: string; command: CreateApiKey }>

type ApiKeyRequest = Readonly<{ keyId: ApiKeyId; name: string; kind: ApiKeyKind; by: AskedBy }>

/** 256 random bits behind the prefix of the kind; only its SHA-256 is ever stored. */
export function newApiKey({ keyId, name, kind, by }: ApiKeyRequest): NewApiKey {
  const prefix = apiKeyPrefix(kind)
  const key = `${prefix}${randomBytes(32).toString('hex')}`
  const hash = createHash('sha256').update(key).digest('hex')
  return { key, command: { type: 'CreateApiKey', data: { keyId, name, prefix: key.slice(0, prefix.length + 8), hash, ...by } } }
}
