import { createHmac, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'
import { emailKey, normalizeEmail } from '@tidings/addresses'
import { INSTALLATION, type WorkspaceId } from '@tidings/domain'
import { LRUCache } from 'lru-cache'
import { seal, unseal } from '../crypto/seal.ts'
import { retryTransient } from '../retry-transient.ts'
import type { KeyStore } from './key-store.ts'
import { unwrap, workspaceSecretContext, wrap } from './master-key.ts'
import type { MasterKeys } from './master-keys.ts'

const SECRET_BYTES = 32
const MAX_SECRETS = 1_000

type Settings = Readonly<{ store: KeyStore; masters: MasterKeys }>

export type WorkspaceSecrets = Readonly<{
  /** The workspace's HMAC secret, 32 bytes; made at the first call. */
  workspaceSecret: (workspaceId: WorkspaceId) => Promise<KeyObject>
  /** The secret of the installation: 32 bytes, made at the first call, never changed. */
  installationSecret: () => Promise<KeyObject>
  /**
   * HMAC-SHA-256 of `kind:value` under the workspace's secret, base64url: names the claim stream of an email or phone. For an email, `value` is its key
   * (M46), so that every spelling of it is one claim.
   */
  claimDigest: (workspaceId: WorkspaceId, kind: string, value: string) => Promise<string>
  /** What a log from before M46 names the claim by, where that is something else: the address with its domain as it was written. */
  olderClaimDigests: (workspaceId: WorkspaceId, kind: string, value: string) => Promise<readonly string[]>
}>

/** One secret a workspace, made once and never changed: claim streams are named by it. */
export function createWorkspaceSecrets(settings: Settings): WorkspaceSecrets {
  const cache = new LRUCache<string, Promise<KeyObject>>({ max: MAX_SECRETS })

  const read = async (workspaceId: WorkspaceId): Promise<KeyObject> => {
    const context = workspaceSecretContext(workspaceId)
    const { store, masters } = settings
    const stored = await masters.underCurrent((current) => {
      const candidate = wrap(current, randomBytes(SECRET_BYTES), context)
      return retryTransient('workspace secrets', () => store.ensureSecret(workspaceId, candidate))
    })
    await masters.learnThoseOf([stored])
    return createSecretKey(unwrap(masters.all(), stored, context))
  }

  const workspaceSecret = (workspaceId: WorkspaceId): Promise<KeyObject> => {
    const known = cache.get(workspaceId)
    if (known) return known
    const secret = read(workspaceId)
    cache.set(workspaceId, secret)
    secret.catch(() => cache.delete(workspaceId))
    return secret
  }

  const digestOf = async (workspaceId: WorkspaceId, claimed: string): Promise<string> =>
    createHmac('sha256', await workspaceSecret(workspaceId))
      .update(claimed)
      .digest('base64url')

  return {
    workspaceSecret,
    installationSecret: () => workspaceSecret(INSTALLATION),
    claimDigest: (workspaceId, kind, value) => digestOf(workspaceId, `${kind}:${kind === 'email' ? emailKey(value) : value}`),
    olderClaimDigests: async (workspaceId, kind, value) => {
      const written = kind === 'email' ? [...new Set([value, normalizeEmail(value)])].filter((email) => email !== emailKey(value)) : []
      return await Promise.all(written.map((email) => digestOf(workspaceId, `${kind}:${email}`)))
    },
  }
}

const KEY_BYTES = 32

/** Seals what a workspace stores for a while; what was sealed for one workspace does not open for another. */
type WorkspaceSealer = Readonly<{
  seal: (workspaceId: WorkspaceId, plain: Buffer) => Promise<Buffer>
  open: (workspaceId: WorkspaceId, sealed: Buffer) => Promise<Buffer>
}>

/** Seals under a key that is derived from the workspace's secret for `purpose`, and binds to purpose and workspace. */
export function createWorkspaceSealer(
  secrets: Readonly<{ workspaceSecret: (workspaceId: WorkspaceId) => Promise<KeyObject> }>,
  purpose: string,
): WorkspaceSealer {
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
