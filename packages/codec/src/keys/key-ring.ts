import { randomBytes } from 'node:crypto'
import type { WorkspaceId } from '@tidings/domain'
import { batching } from '../batching.ts'
import { SubjectErased, SubjectKeyMissing } from '../errors.ts'
import { retryTransient } from '../retry-transient.ts'
import { createRetention, type Retention } from './ended-details.ts'
import type { KeyStore, StoredKey, SubjectKey, SubjectKeys, SubjectRef } from './key-store.ts'
import { type MasterKey, subjectKeyContext, wrap } from './master-key.ts'
import type { MasterKeys } from './master-keys.ts'
import { createOpenedKeys, nameOf, type OwnKey } from './opened-keys.ts'
import { createWorkspaceSecrets, type WorkspaceSecrets } from './workspace-secrets.ts'

/**
 * The unwrapped keys of data subjects, and the secret of each workspace. Unwrapped keys are cached for five minutes at most: what one process
 * shreds, the others forget by then. Where the database does not answer, every call rejects with `Unavailable`; that never means an erasure.
 */
export type KeyRing = Readonly<{
  /** The cached keys. Undefined: use `load`. */
  cached: (workspaceId: WorkspaceId, subject: string) => SubjectKeys | undefined
  /** The key to seal with, durable; made when the subject has none and no events. Throws `SubjectErased` and `SubjectKeyMissing`. */
  keyFor: (workspaceId: WorkspaceId, subject: string) => Promise<SubjectKey>
  /** Like `keyFor`, for a subject whose id the caller has just made: its events are not looked for. Call it early to make the key beside other work. */
  newKeyFor: (workspaceId: WorkspaceId, subject: string) => Promise<SubjectKey>
  /** The keys to open with, in the order of `refs`, null where the subject never had one; a missing key is never made. */
  load: (refs: readonly SubjectRef[]) => Promise<readonly (SubjectKeys | null)[]>
  /** `hasEvents` is asked before a key is made by `keyFor`: a subject that has events has lost the key it had. */
  beforeNewKey: (hasEvents: HasEvents) => void
  /** Destroys the subject's keys, durably, for ever: what was sealed stays closed, and a later `keyFor` throws `SubjectErased`. */
  shred: (workspaceId: WorkspaceId, subject: string) => Promise<void>
  /** Drops what this process has cached of the subject: for an erasure that another process made. */
  forget: (workspaceId: WorkspaceId, subject: string) => void
  /** Caches the subject's key no more: from now on each use asks the database, so that a shredding takes effect at once, wherever it is made. */
  withhold: (workspaceId: WorkspaceId, subject: string) => void
  /** `listener` is called when subjects are forgotten, to drop its own data in clear. */
  onForget: (listener: () => void) => void
}> &
  (WorkspaceSecrets & Retention)

/** Whether the log holds anything that was sealed under a key of the subject. */
export type HasEvents = (ref: SubjectRef) => Promise<boolean>

/** `now` is a monotonic clock in milliseconds. */
type KeyRingOptions = Readonly<{
  store: KeyStore
  masters: MasterKeys
  now?: () => number
}>

const MAX_BATCH = 1_000
const MAX_LOADS = 64
const MAX_WAITING = 20_000

/** The key ring over a key store. */
export function createKeyRing(options: KeyRingOptions): KeyRing {
  const { store, masters } = options
  const now = options.now ?? performance.now.bind(performance)
  const { cached, opened, drop, dropped, forget, withhold, onForget } = createOpenedKeys({ masters, now })
  const checks = new Set<HasEvents>()
  const beingMade = new Map<string, Promise<SubjectKeys>>()

  const ensure = batching<SubjectRef, Readonly<{ stored: readonly StoredKey[]; own: OwnKey | undefined }>>({
    name: 'subject keys',
    maxBatch: MAX_BATCH,
    maxWaiting: MAX_WAITING,
    run: async (refs) => {
      const ensured = await masters.underCurrent(async (current) => {
        const own = candidates(current, refs)
        const stored = await retryTransient('subject keys', () => store.ensure(own))
        return stored.every((versions) => versions.length > 0) ? { own, stored } : null
      })
      await masters.learnThoseOf(ensured.stored.flat().map(({ wrapped }) => wrapped))
      return ensured.stored.map((stored, n) => ({ stored, own: ensured.own[n] }))
    },
  })

  // Groups, so that a batch of two thousand events is one call and not two thousand promises.
  const load = batching<readonly SubjectRef[], readonly (SubjectKeys | null)[]>({
    name: 'subject keys',
    maxBatch: MAX_LOADS,
    maxWaiting: MAX_WAITING,
    run: async (groups) => {
      const refs = groups.flat()
      const stored = await retryTransient('subject keys', () => store.load(refs))
      await masters.learnThoseOf(stored.flat().map(({ wrapped }) => wrapped))
      const keys = refs.map((ref, n) => opened(ref, stored[n] ?? []))
      let end = 0
      return groups.map((group) => {
        end += group.length
        return keys.slice(end - group.length, end)
      })
    },
  })

  const made = (ref: SubjectRef): Promise<SubjectKeys> => {
    const name = nameOf(ref.workspaceId, ref.subject)
    const making =
      beingMade.get(name) ??
      ensure(ref)
        .then(({ stored, own }) => opened(ref, stored, own) ?? [])
        .finally(() => beingMade.delete(name))
    beingMade.set(name, making)
    return making
  }

  const existingOrMade = async (ref: SubjectRef): Promise<SubjectKeys> => {
    const making = beingMade.get(nameOf(ref.workspaceId, ref.subject))
    const known = making ? await making : (await load([ref]))[0]
    if (known) return known
    for (const hasEvents of checks) if (await hasEvents(ref)) return await keyOfEvents(ref)
    return await made(ref)
  }

  /** The subject has events, so it has a key or lost it. Loads again: another process may have made key and events since the first look. */
  const keyOfEvents = async (ref: SubjectRef): Promise<SubjectKeys> => {
    const [known] = await load([ref])
    if (known) return known
    throw new SubjectKeyMissing(ref)
  }

  const newest = (ref: SubjectRef, keys: SubjectKeys): SubjectKey => {
    if (!keys[0]) throw new SubjectErased(ref.workspaceId, ref.subject)
    return keys[0]
  }

  return {
    cached,
    keyFor: async (workspaceId, subject) => {
      const ref = { workspaceId, subject }
      return newest(ref, cached(workspaceId, subject) ?? (await existingOrMade(ref)))
    },
    newKeyFor: async (workspaceId, subject) => {
      const ref = { workspaceId, subject }
      return newest(ref, cached(workspaceId, subject) ?? (await made(ref)))
    },
    load,
    beforeNewKey: (hasEvents) => checks.add(hasEvents),
    shred: async (workspaceId, subject) => {
      await retryTransient('subject keys', () => store.shred({ workspaceId, subject }))
      forget(workspaceId, subject)
    },
    forget,
    withhold,
    onForget,
    ...createWorkspaceSecrets({ store, masters }),
    ...createRetention({ store, drop, dropped, now }),
  }
}

const KEY_BYTES = 32

/** A key of its own for each of them, wrapped. A subject twice in one batch is asked for twice; the store gives both the same key. */
function candidates(masterKey: MasterKey, refs: readonly SubjectRef[]): readonly (SubjectRef & OwnKey)[] {
  const all = randomBytes(KEY_BYTES * refs.length)
  return refs.map((ref, n) => {
    const bytes = all.subarray(n * KEY_BYTES, (n + 1) * KEY_BYTES)
    return { ...ref, bytes, wrapped: wrap(masterKey, bytes, subjectKeyContext(ref.workspaceId, ref.subject, 1)) }
  })
}
