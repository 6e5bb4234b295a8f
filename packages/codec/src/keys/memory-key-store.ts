import { createKeyRing, type KeyRing } from './key-ring.ts'
import type { EndedRow, KeyStore, KnownMasterKey, StoredKey, SubjectRef } from './key-store.ts'
import { masterKeyIdOf, parseMasterKey } from './master-key.ts'
import { masterKeysOf } from './master-keys.ts'

/** Keys that live and die with the process: for unit tests. */
export function memoryKeyStore(): KeyStore {
  const keys = new Map<string, readonly StoredKey[]>()
  const secrets = new Map<string, Buffer>()
  const ended = new Map<string, EndedRow>()
  const masters = new Map<string, KnownMasterKey>()
  const id = (ref: SubjectRef): string => `${ref.workspaceId}/${ref.subject}`
  return {
    load: async (refs) => refs.map((ref) => keys.get(id(ref)) ?? []),
    ensure: async (refs) =>
      refs.map((ref) => {
        const stored = keys.get(id(ref)) ?? [{ version: 1, wrapped: ref.wrapped }]
        keys.set(id(ref), stored)
        return stored
      }),
    shred: async (ref) => {
      keys.set(id(ref), [{ version: 1, wrapped: null }])
    },
    endedDetails: async () => [...ended.values()],
    endDetails: async ({ workspaceId, kind, until }) => {
      const name = `${workspaceId}/${kind}`
      const latest = [ended.get(name)?.until ?? '', until].sort()[1]!
      ended.set(name, { workspaceId, kind, until: latest })
      const start = `${workspaceId}/period:${kind}:`
      for (const subject of keys.keys())
        if (subject.startsWith(start) && subject < `${start}${latest}`) keys.set(subject, [{ version: 1, wrapped: null }])
    },
    ensureSecret: async (workspaceId, wrapped) => {
      const stored = secrets.get(workspaceId) ?? wrapped
      secrets.set(workspaceId, stored)
      return stored
    },
    masterKeys: async () => masters,
    purposeKeys: async () => [],
    masterKeysInUse: async () => {
      const wrapped = [...[...keys.values()].flat().map((key) => key.wrapped), ...secrets.values()]
      return [...new Set(wrapped.flatMap((bytes) => (bytes === null ? [] : [masterKeyIdOf(bytes)])))]
    },
    addMasterKey: async (key, checkValue) => {
      if (!masters.has(key)) masters.set(key, { checkValue, replaces: null, sealed: null, retired: false })
    },
  }
}

/** A key ring of its own, in memory under a fixed master key: for unit tests. */
export function memoryKeyRing(): KeyRing {
  const store = memoryKeyStore()
  return createKeyRing({ store, masters: masterKeysOf(store, [parseMasterKey('00'.repeat(32))]) })
}
