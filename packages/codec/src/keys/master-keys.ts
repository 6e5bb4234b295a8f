import type { KeyObject } from 'node:crypto'
import { WrongMasterKey } from '../errors.ts'
import { retryTransient } from '../retry-transient.ts'
import { findReplacement, storedDerivers } from './handover.ts'
import type { KeyStore, KnownMasterKey } from './key-store.ts'
import { type MasterKey, masterKeyIdOf, type Purpose } from './master-key.ts'

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
      if (!inForce) throw retired(current())
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
        if (current() === by) throw retired(by)
      }
    },
  }
}

const retired = ({ id }: MasterKey): WrongMasterKey =>
  new WrongMasterKey(`The master key ${id} was replaced and retired: start this process again with TIDINGS_MASTER_KEY set to the new one.`)

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
