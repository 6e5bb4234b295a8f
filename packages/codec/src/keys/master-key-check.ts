import { WrongMasterKey } from '../errors.ts'
import { retryTransient } from '../retry-transient.ts'
import type { KeyStore } from './key-store.ts'
import type { MasterKey } from './master-key.ts'

/**
 * Refuses, in one sentence, a master key that is not the database's; the first start writes it down, and so does a start with
 * a new key that also brings its predecessor. Run it before anything is sealed.
 */
export async function checkMasterKey(store: KeyStore, current: MasterKey, previous: readonly MasterKey[] = []): Promise<void> {
  const add = () => retryTransient('master key', () => store.addMasterKey(current.id, current.checkValue))
  let known = await retryTransient('master key', store.masterKeys)
  if (known.size === 0) {
    await add()
    // Read again: of two first starts with different keys both may have written.
    known = await retryTransient('master key', store.masterKeys)
    if (known.size > 1) throw new WrongMasterKey('Two processes started on an empty database with different values of TIDINGS_MASTER_KEY.')
  }
  const isKnown = (key: MasterKey): boolean => known.get(key.id)?.checkValue.equals(key.checkValue) ?? false
  if (isKnown(current)) return
  if (previous.some(isKnown)) return add()
  throw new WrongMasterKey(
    `TIDINGS_MASTER_KEY is not the key this database was written under (it has ${[...known.keys()].join(', ')}; given was ${current.id}).`,
  )
}
