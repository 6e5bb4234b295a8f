import { createWorkspaceSealer, type KeyRing } from '@tidings/codec'
import type { Sealer } from '@tidings/http'

/** Seals the answers that are stored for idempotency keys, and digests their bodies under the workspace's secret. They live for a day. */
export function createAnswerSealer(keyRing: KeyRing): Sealer {
  return {
    ...createWorkspaceSealer(keyRing, 'idempotent answer'),
    digest: async (workspaceId, bodyHash) =>
      Buffer.from(await keyRing.claimDigest(workspaceId, 'idempotent body', bodyHash.toString('hex')), 'base64url'),
  }
}
