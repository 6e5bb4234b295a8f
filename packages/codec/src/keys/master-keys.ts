import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { seal, unseal } from '../crypto/seal.ts'
import { WrongMasterKey } from '../errors.ts'
import { retryTransient } from '../retry-transient.ts'
import type { KeyStore, KnownMasterKey, StoredPurposeKey } from './key-store.ts'
import { type MasterKey, masterKeyIdOf, PURPOSES, type Purpose, parseMasterKey, unwrap, VARIABLE, wrap } from './master-key.ts'
import { keysNamed, toPutBack } from './missing-master-key.ts'

/** A key for one purpose, as a master key derives it. */
type DerivePurposeKey = (purpose: Purpose) => KeyObject

/** The master keys that this process has: those it was given, and the one that replaces them, which it learns from the database. */
export type MasterKeys = Readonly<{
  /** Wraps new keys. */
  current: () => MasterKey
  /** All that open what they wrapped, the newest first. */
  all: () => readonly MasterKey[]
  /** The master keys that derive keys. The first one makes new things: during a rotation it is the old key, which every process has. */
  derivers: () => readonly [DerivePurposeKey, ...DerivePurposeKey[]]
  /** Looks for a key that replaces one of these. */
  learn: () => Promise<void>
  /** False where, when it was last looked, ours was replaced by one that is not here: what this process can still read is what it has in memory. */
  isInForce: () => boolean
  /** Throws where it is not. */
  assertInForce: () => void
  /** Like `learn`, if one of these is wrapped under a key that is not here. */
  learnThoseOf: (wrapped: readonly (Buffer | null)[]) => Promise<void>
  /** The result of `work`, repeated under the key that replaced ours meanwhile; throws if ours was retired and no other is known. Null: ours is retired. */
  underCurrent: <Result>(work: (current: MasterKey) => Promise<Result | null>) => Promise<Result>
}>

/** `given`: the newest first. */
export function masterKeysOf(store: KeyStore, given: readonly [MasterKey, ...MasterKey[]]): MasterKeys {
  let all: readonly MasterKey[] = given
  let derivers: ReturnType<MasterKeys['derivers']> = [given[0].derive, ...given.slice(1).map(({ derive }) => derive)]
  let lastState = ''
  let inForce = true

  const isKnown = (id: string): boolean => all.some((key) => key.id === id)

  const current = (): MasterKey => all[0] ?? given[0]

  const learn = async (): Promise<void> => {
    const known = await retryTransient('master key', store.masterKeys)
    for (let found = findReplacement(known, all); found !== null; found = findReplacement(known, all)) all = inOrder(known, [found, ...all])
    all = inOrder(known, all)
    inForce = known.get(current().id)?.retired === false
    const stored = await retryTransient('master key', store.purposeKeys)
    const state = `${all.map(({ id }) => id)} ${settled(known, all).id} ${stored.length}`
    if (state === lastState) return
    lastState = state
    const first = settled(known, all)
    const others = all.filter((key) => key !== first)
    derivers = [
      first.derive,
      ...others.map(({ derive }) => derive),
      ...storedDerivers(
        stored.filter(({ masterKeyId }) => !isKnown(masterKeyId)),
        all,
      ),
    ]
  }

  return {
    current,
    all: () => all,
    derivers: () => derivers,
    learn,
    isInForce: () => inForce,
    assertInForce: () => {
      if (!inForce) throw retired(current(), given[0])
    },
    learnThoseOf: async (wrapped) => {
      if (wrapped.some((bytes) => bytes !== null && !isKnown(masterKeyIdOf(bytes)))) await learn()
    },
    underCurrent: async (work) => {
      for (;;) {
        const by = current()
        const result = await work(by)
        if (result !== null) return result
        await learn()
        if (current() === by) throw retired(by, given[0])
      }
    },
  }
}

const retired = ({ id }: MasterKey, { from }: MasterKey): WrongMasterKey => {
  const remedy = from === VARIABLE ? `with ${VARIABLE} set to the new one` : `when ${from} has the new one`
  return new WrongMasterKey(`The master key ${id} was replaced and retired: start this process again ${remedy}.`)
}

/** One that replaces another comes before it, and one that is retired behind all others. */
const inOrder = (known: ReadonlyMap<string, KnownMasterKey>, keys: readonly MasterKey[]): readonly MasterKey[] => {
  const newest = keys.find(({ id }) => {
    const row = known.get(id)
    return row !== undefined && !row.retired && row.sealed !== null
  })
  return newest === undefined ? keys : [newest, ...keys.filter((key) => key !== newest)]
}

const settled = (known: ReadonlyMap<string, KnownMasterKey>, [newest, ...others]: readonly MasterKey[]): MasterKey => {
  if (newest === undefined) throw new Error('there is no master key')
  const replaced = known.get(newest.id)?.replaces
  return others.find(({ id }) => id === replaced) ?? newest
}

/** `from`: the variable or the file that has the master key. `previousMasterKeys`: those it replaced, which still open what they wrapped. */
export type MasterKeyTexts = Readonly<{ masterKey: string; from?: string; previousMasterKeys?: readonly string[] }>

/**
 * The master keys of this installation: those given, and the one that replaces them where that is under way. Throws `WrongMasterKey`, in one
 * sentence, where one is malformed or not the database's, or where keys are wrapped under one that is not here.
 */
export async function openMasterKeys(store: KeyStore, { masterKey, from, previousMasterKeys = [] }: MasterKeyTexts): Promise<MasterKeys> {
  const current = parseMasterKey(masterKey, from)
  const previous = previousMasterKeys.map((text) => parseMasterKey(text, 'TIDINGS_PREVIOUS_MASTER_KEYS'))
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
  throw new WrongMasterKey(`Keys of this database are wrapped under ${keysNamed(missing)}, which this process does not have: ${REMEDY}.`)
}

const REMEDY = 'add what is missing to TIDINGS_PREVIOUS_MASTER_KEYS, and run `tidings master-key rotate` to do without it'

/**
 * Refuses, in one sentence, a master key that is not the database's; the first start writes it down, and so does a start with
 * a new key that also brings its predecessor. Run it before anything is sealed.
 */
export async function checkMasterKey(store: KeyStore, current: MasterKey, previous: readonly MasterKey[] = []): Promise<void> {
  const add = () => retryTransient('master key', () => store.addMasterKey(current.id, current.checkValue))
  let known = await retryTransient('master key', store.masterKeys)
  if (known.size === 0) {
    const used = await retryTransient('master key', store.masterKeysInUse)
    if (used.some((id) => id !== current.id && !previous.some((key) => key.id === id))) throw notOfThisDatabase(current, used)
    await add()
    // Read again: of two first starts with different keys both may have written.
    known = await retryTransient('master key', store.masterKeys)
    if (known.size > 1) throw new WrongMasterKey('Two processes started on an empty database with different values of TIDINGS_MASTER_KEY.')
  }
  const isKnown = (key: MasterKey): boolean => known.get(key.id)?.checkValue.equals(key.checkValue) ?? false
  if (isKnown(current)) return
  if (previous.some(isKnown)) return add()
  throw notOfThisDatabase(current, [...known.keys()])
}

const notOfThisDatabase = ({ id, from }: MasterKey, needed: readonly string[]): WrongMasterKey =>
  new WrongMasterKey(
    `${from} is not the key this database was written under (it has ${needed.join(', ')}; given was ${id}): ${from === VARIABLE ? 'set it to that key' : toPutBack(from)}.`,
  )

const handoverContext = (from: string, to: string): string => `master key ${from} to ${to}`

/** A new master key, sealed under the one it replaces. */
export function sealHandover(from: MasterKey, to: MasterKey): Buffer {
  return seal(from.wrapping, to.text, handoverContext(from.id, to.id))
}

/** A master key that replaces one of `masters` and is not among them; null where there is none. */
function findReplacement(known: ReadonlyMap<string, KnownMasterKey>, masters: readonly MasterKey[]): MasterKey | null {
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
