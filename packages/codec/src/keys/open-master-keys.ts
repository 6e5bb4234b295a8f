import { WrongMasterKey } from '../errors.ts'
import { retryTransient } from '../retry-transient.ts'
import type { KeyStore } from './key-store.ts'
import { parseMasterKey } from './master-key.ts'
import { checkMasterKey } from './master-key-check.ts'
import { type MasterKeys, masterKeysOf } from './master-keys.ts'

/** `masterKey`: the text of TIDINGS_MASTER_KEY. `previousMasterKeys`: those it replaced, which still open what they wrapped. */
export type MasterKeyTexts = Readonly<{ masterKey: string; previousMasterKeys?: readonly string[] }>

/**
 * The master keys of this installation: those given, and the one that replaces them where that is under way. Throws `WrongMasterKey`, in one
 * sentence, where one is malformed or not the database's, or where keys are wrapped under one that is not here.
 */
export async function openMasterKeys(store: KeyStore, { masterKey, previousMasterKeys = [] }: MasterKeyTexts): Promise<MasterKeys> {
  const current = parseMasterKey(masterKey)
  const previous = previousMasterKeys.map(parseMasterKey)
  await checkMasterKey(store, current, previous)
  const masters = masterKeysOf(store, [current, ...previous])
  await masters.learn()
  await checkEveryKeyInUse(store, masters)
  return masters
}

/**
 * Names the ids of the keys that are in use and not here. A key that nothing is wrapped under any more is not missed. Every key is read where
 * the database knows of one that is not here, or with `thoroughly`.
 */
export async function checkEveryKeyInUse(store: KeyStore, masters: MasterKeys, thoroughly = false): Promise<void> {
  const here = new Set(masters.all().map(({ id }) => id))
  const known = await retryTransient('master key', store.masterKeys)
  if (!thoroughly && [...known.keys()].every((id) => here.has(id))) return
  const missing = (await retryTransient('master key', store.masterKeysInUse)).filter((id) => !here.has(id))
  if (missing.length === 0) return
  const keys = missing.length === 1 ? `the master key ${missing[0]}` : `the master keys ${missing.join(', ')}`
  throw new WrongMasterKey(`Keys of this database are wrapped under ${keys}, which this process does not have: ${REMEDY}.`)
}

const REMEDY = 'add what is missing to TIDINGS_PREVIOUS_MASTER_KEYS, and run `tidings master-key rotate` to do without it'
