import { WrongMasterKey } from '../errors.ts'
import { retryTransient } from '../retry-transient.ts'
import type { KeyStore } from './key-store.ts'

/** The ids of master keys, in a sentence. */
export function keysNamed(ids: readonly string[]): string {
  return `the master key${ids.length === 1 ? '' : 's'} ${ids.join(', ')}`
}

/** What to do about a file that does not have the master key that is needed. */
export function toPutBack(file: string): string {
  return `put ${file} back as it was, from a copy or from secrets/master.key of a backup, or set TIDINGS_MASTER_KEY to that key`
}

/** `what` was written under the keys `needed`; `looked` says for each place that it has none, `mend` what to do. */
type Missing = Readonly<{ what: string; needed: readonly string[]; looked: readonly string[]; mend: string }>

/** One sentence: which key is needed, where it was looked for, and what to do. */
export function missingMasterKey({ what, needed, looked, mend }: Missing): WrongMasterKey {
  const verb = needed.length === 1 ? 'is' : 'are'
  return new WrongMasterKey(`${what} was written under ${keysNamed(needed)}, which ${verb} not here (${looked.join(', ')}): ${mend}.`)
}

/** The ids of the master keys that a database was written under; none where nothing was sealed there yet. */
export async function masterKeysNeeded(store: Pick<KeyStore, 'masterKeys' | 'masterKeysInUse'>): Promise<readonly string[]> {
  const known = [...(await retryTransient('master key', store.masterKeys)).keys()]
  return known.length > 0 ? known : await retryTransient('master key', store.masterKeysInUse)
}
