import { createSecretKey } from 'node:crypto'
import { entriesUpTo } from '@tidings/async'
import type { WorkspaceId } from '@tidings/domain'
import { LRUCache } from 'lru-cache'
import { createKeyCache } from './key-cache.ts'
import type { StoredKey, SubjectRef } from './key-store.ts'
import { subjectKeyContext, unwrap } from './master-key.ts'
import type { MasterKeys } from './master-keys.ts'
import type { SubjectKeys } from './subject-key.ts'

/** `now` is a monotonic clock in milliseconds. */
type Settings = Readonly<{ masters: Pick<MasterKeys, 'all'>; maxKeys?: number | undefined; now: () => number }>

/** The keys that this process has unwrapped, for five minutes at most. */
export type OpenedKeys = Readonly<{
  cached: (workspaceId: WorkspaceId, subject: string) => SubjectKeys | undefined
  /** Unwraps what is stored and caches it; null where the subject never had a key. */
  opened: (ref: SubjectRef, stored: readonly StoredKey[]) => SubjectKeys | null
  /** Drops keys without a call to the listeners: for many subjects at once, before `dropped`. */
  drop: (workspaceId: WorkspaceId, subject: string) => void
  /** Says that subjects were dropped. */
  dropped: () => void
  forget: (workspaceId: WorkspaceId, subject: string) => void
  withhold: (workspaceId: WorkspaceId, subject: string) => void
  onForget: (listener: () => void) => void
}>

const MAX_AGE_MS = 5 * 60_000
/** Subjects with one key, nearly all: 36 MB when full. A rebuild of 200 000 contacts asks for the key of each once. */
const MAX_KEYS = 200_000
/** Subjects that were erased, or have several keys. */
const MAX_OTHERS = 4_000
/** Subjects that are being erased: more at once are asked for like any other. */
const MAX_WITHHELD = 10_000

/** One text for the two parts of a subject's name. */
export function nameOf(workspaceId: WorkspaceId, subject: string): string {
  return `${workspaceId}/${subject}`
}

export function createOpenedKeys({ masters, maxKeys = MAX_KEYS, now }: Settings): OpenedKeys {
  const single = createKeyCache({ maxKeys, maxAgeMs: MAX_AGE_MS, now })
  const others = new LRUCache<string, SubjectKeys>({ ...entriesUpTo(MAX_OTHERS), ttl: MAX_AGE_MS, ttlResolution: 0, perf: { now } })
  const withheld = new LRUCache<string, true>(entriesUpTo(MAX_WITHHELD))
  const forgotten = new Set<() => void>()

  const opened: OpenedKeys['opened'] = ({ workspaceId, subject }, stored) => {
    // "Never had one" is not remembered: it may get one at any moment.
    if (stored.length === 0) return null
    const shredded = stored.some(({ wrapped }) => wrapped === null)
    const name = nameOf(workspaceId, subject)
    const isSingle = !shredded && stored.length === 1 && stored[0]?.version === 1
    const keys = (shredded ? [] : stored).flatMap(({ version, wrapped }) => {
      if (!wrapped) return []
      const bytes = unwrap(masters.all(), wrapped, subjectKeyContext(workspaceId, subject, version))
      if (isSingle && !withheld.has(name)) single.set(name, bytes)
      return [{ version, key: createSecretKey(bytes) }]
    })
    keys.sort((a, b) => b.version - a.version)
    // A tombstone stays, and so do several keys.
    if (!isSingle) {
      single.delete(name)
      others.set(name, keys)
    }
    return keys
  }

  const cached = (workspaceId: WorkspaceId, subject: string): SubjectKeys | undefined => {
    const name = nameOf(workspaceId, subject)
    const key = single.get(name)
    return key === undefined ? others.get(name) : [{ version: 1, key }]
  }

  const drop = (workspaceId: WorkspaceId, subject: string): void => {
    others.delete(nameOf(workspaceId, subject))
    single.delete(nameOf(workspaceId, subject))
  }
  const dropped = (): void => {
    for (const listener of forgotten) listener()
  }
  const forget: OpenedKeys['forget'] = (workspaceId, subject) => {
    drop(workspaceId, subject)
    dropped()
  }

  return {
    cached,
    opened,
    drop,
    dropped,
    forget,
    withhold: (workspaceId, subject) => {
      withheld.set(nameOf(workspaceId, subject), true)
      forget(workspaceId, subject)
    },
    onForget: (listener) => forgotten.add(listener),
  }
}
