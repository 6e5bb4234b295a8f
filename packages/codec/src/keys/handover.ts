import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { seal, unseal } from '../crypto/seal.ts'
import type { KnownMasterKey, StoredPurposeKey } from './key-store.ts'
import { type MasterKey, PURPOSES, type Purpose, parseMasterKey, unwrap, wrap } from './master-key.ts'

const handoverContext = (from: string, to: string): string => `master key ${from} to ${to}`

/** A new master key, sealed under the one it replaces. */
export function sealHandover(from: MasterKey, to: MasterKey): Buffer {
  return seal(from.wrapping, to.text, handoverContext(from.id, to.id))
}

/** A master key that replaces one of `masters` and is not among them; null where there is none. */
export function findReplacement(known: ReadonlyMap<string, KnownMasterKey>, masters: readonly MasterKey[]): MasterKey | null {
  for (const [id, { replaces, sealed }] of known) {
    const from = masters.find((key) => key.id === replaces)
    if (sealed === null || from === undefined || masters.some((key) => key.id === id)) continue
    return parseMasterKey(unseal(from.wrapping, sealed, handoverContext(from.id, id)).toString('utf8'))
  }
  return null
}

const purposeContext = (masterKeyId: string, purpose: string): string => `purpose/${masterKeyId}/${purpose}`

/** The keys that are derived from `of`, wrapped under `by`. */
export function wrapPurposeKeys(by: MasterKey, of: MasterKey): readonly StoredPurposeKey[] {
  return PURPOSES.map((purpose) => ({
    masterKeyId: of.id,
    purpose,
    wrapped: wrap(by, of.derive(purpose).export(), purposeContext(of.id, purpose)),
  }))
}

/** The bytes of a stored key. */
const unwrapPurposeKey = ({ masterKeyId, purpose, wrapped }: StoredPurposeKey, masters: readonly MasterKey[]): Buffer =>
  unwrap(masters, wrapped, purposeContext(masterKeyId, purpose))

/** The same key, wrapped under another master key. */
export function rewrapPurposeKey(by: MasterKey, key: StoredPurposeKey, masters: readonly MasterKey[]): Buffer {
  return wrap(by, unwrapPurposeKey(key, masters), purposeContext(key.masterKeyId, key.purpose))
}

/** The stored keys that former master keys derived, one function a master key. */
export function storedDerivers(
  stored: readonly StoredPurposeKey[],
  masters: readonly MasterKey[],
): readonly ((purpose: Purpose) => KeyObject)[] {
  return [...Map.groupBy(stored, ({ masterKeyId }) => masterKeyId).values()].map((keys) => {
    const opened = new Map(keys.map((key) => [key.purpose, createSecretKey(unwrapPurposeKey(key, masters))]))
    return (purpose) => {
      // A purpose that is younger than the master key was never used with it: a random key made nothing.
      return opened.get(purpose) ?? createSecretKey(randomBytes(32))
    }
  })
}
