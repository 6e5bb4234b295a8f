import { createHash, randomBytes } from 'node:crypto'
import { uuidv7 } from '@tidings/codec'
import { type CreateApiKey, workspace, workspaceStream } from '@tidings/domain'
import type { Provisioner } from './provisioner.ts'

export type CreatedApiKey = Readonly<{ id: string; name: string; key: string }>

/** 256 random bits behind the prefix of the contract; only its SHA-256 is ever stored. */
const newKey = (): string => `sk_evt_${randomBytes(32).toString('hex')}`

const commandFor = (keyId: string, name: string, key: string): CreateApiKey => ({
  type: 'CreateApiKey',
  data: { keyId, name, prefix: key.slice(0, 'sk_evt_'.length + 8), hash: createHash('sha256').update(key).digest('hex') },
})

/** Makes a key. This is the only time the whole key exists. */
export async function createApiKey(to: Provisioner, workspaceId: string, name: string): Promise<CreatedApiKey> {
  const key = newKey()
  const id = uuidv7()
  await to.execute(workspaceId, workspace, workspaceStream(workspaceId), commandFor(id, name, key))
  return { id, name, key }
}

export async function revokeApiKey(to: Provisioner, workspaceId: string, keyId: string): Promise<void> {
  await to.execute(workspaceId, workspace, workspaceStream(workspaceId), { type: 'RevokeApiKey', data: { keyId } })
}
