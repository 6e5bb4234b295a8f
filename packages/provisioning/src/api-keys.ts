import { uuidv7 } from '@tidings/codec'
import {
  type ApiKeyId,
  type ApiKeyKind,
  activeApiKey,
  asApiKeyId,
  byOperator,
  type WorkspaceId,
  workspace,
  workspaceStream,
} from '@tidings/domain'
import { newApiKey } from '@tidings/sign-in'
import type { Provisioner } from './provisioner.ts'

export type CreatedApiKey = Readonly<{ id: ApiKeyId; name: string; key: string }>
/** `key` only for one that was just made. */
export type AppliedKey = Readonly<{ id: string; name: string; key?: string }>
type KeyToCreate = Readonly<{ name: string; kind: ApiKeyKind }>

/** Makes a key. This is the only time the whole key exists. */
export async function createApiKey(to: Provisioner, workspaceId: WorkspaceId, { name, kind }: KeyToCreate): Promise<CreatedApiKey> {
  const id = asApiKeyId(uuidv7())
  const { key, command } = newApiKey({ keyId: id, name, kind, by: byOperator })
  await to.execute(workspaceId, workspace, workspaceStream(workspaceId), command)
  return { id, name, key }
}

/** The active key of this name and kind; it is made where there is none, also where several ask at once. `key` only for one that was just made. */
export async function provideApiKey(to: Provisioner, workspaceId: WorkspaceId, asked: KeyToCreate): Promise<AppliedKey> {
  const stream = workspaceStream(workspaceId)
  const { name } = asked
  for (;;) {
    const known = activeApiKey(await to.load(workspaceId, workspace, stream), asked)
    if (known !== undefined) return { id: known, name }
    const id = asApiKeyId(uuidv7())
    const { key, command } = newApiKey({ keyId: id, ...asked, by: byOperator })
    const made = await to.execute(workspaceId, workspace, stream, { ...command, type: 'ProvideApiKey' })
    if (made.length > 0) return { id, name, key }
  }
}

export async function revokeApiKey(to: Provisioner, workspaceId: WorkspaceId, keyId: ApiKeyId): Promise<void> {
  const command = { type: 'RevokeApiKey', data: { keyId, ...byOperator } } as const
  await to.execute(workspaceId, workspace, workspaceStream(workspaceId), command)
}
