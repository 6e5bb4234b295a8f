import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import type { WorkspaceId } from '@tidings/domain'
import { seal, unseal } from '../crypto/seal.ts'
import type { WorkspaceSecrets } from './workspace-secrets.ts'

const KEY_BYTES = 32

/** Seals what a workspace stores for a while; what was sealed for one workspace does not open for another. */
type WorkspaceSealer = Readonly<{
  seal: (workspaceId: WorkspaceId, plain: Buffer) => Promise<Buffer>
  open: (workspaceId: WorkspaceId, sealed: Buffer) => Promise<Buffer>
}>

/** Seals under a key that is derived from the workspace's secret for `purpose`, and binds to purpose and workspace. */
export function createWorkspaceSealer(secrets: Pick<WorkspaceSecrets, 'workspaceSecret'>, purpose: string): WorkspaceSealer {
  const derived = new WeakMap<KeyObject, KeyObject>()
  const keyOf = async (workspaceId: WorkspaceId): Promise<KeyObject> => {
    const secret = await secrets.workspaceSecret(workspaceId)
    const key = derived.get(secret) ?? createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', `tidings ${purpose}`, KEY_BYTES)))
    derived.set(secret, key)
    return key
  }
  const contextOf = (workspaceId: WorkspaceId): string => `${purpose}|${workspaceId}`
  return {
    seal: async (workspaceId, plain) => seal(await keyOf(workspaceId), plain, contextOf(workspaceId)),
    open: async (workspaceId, sealed) => {
      const key = await keyOf(workspaceId)
      try {
        return unseal(key, sealed, contextOf(workspaceId))
      } catch {
        // Sealed by a release that bound no context: the key is the workspace's alone all the same.
        return unseal(key, sealed, '')
      }
    },
  }
}
