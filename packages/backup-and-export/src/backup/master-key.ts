import { join } from 'node:path'
import { parseMasterKey } from '@tidings/codec'
import { type Config, OperationFailed, readSecrets, type Secrets } from '@tidings/config'
import type { Manifest } from './manifest.ts'
import { pathsIn } from './paths.ts'

type Restoring = Readonly<{ config: Config; directory: string; manifest: Manifest }>

/** The ids of the keys that the backup needs and that are not given. */
const missingFor = ({ masterKeys }: Manifest, keys: readonly string[]): readonly string[] => {
  const given = keys.map((key) => parseMasterKey(key).id)
  return masterKeys.filter((id) => !given.includes(id))
}

const fits = (restoring: Restoring, keys: readonly string[], name: string): void => {
  const { manifest, directory } = restoring
  const missing = missingFor(manifest, keys)
  if (missing.length === 0) return
  if (missing.length < manifest.masterKeys.length) {
    const which = missing.length === 1 ? `the master key ${missing[0]}` : `the master keys ${missing.join(', ')}`
    throw new OperationFailed(`This backup was written under ${which} as well, which is missing: add it to TIDINGS_PREVIOUS_MASTER_KEYS.`)
  }
  const remedy = manifest.masterKeyIncluded
    ? `set it to the content of ${join(pathsIn(directory).secrets, 'master.key')}`
    : 'set the one it had'
  throw new OperationFailed(`${name} is not the key this backup was written under (${manifest.masterKeys.join(', ')}): ${remedy}.`)
}

/**
 * The secrets to put into the data directory, or null where the operator's key is in force. Throws one sentence where what is restored
 * could not be read under the key that the service would start with.
 */
export async function secretsToPut(restoring: Restoring): Promise<Secrets | null> {
  const { config, directory, manifest } = restoring
  const { masterKey, previousMasterKeys } = config.secrets
  if (masterKey !== null) {
    fits(restoring, [masterKey, ...previousMasterKeys], 'TIDINGS_MASTER_KEY')
    return null
  }
  if (!manifest.masterKeyIncluded) {
    throw new OperationFailed(
      'The master key of this backup is not in it, because its operator kept it: set TIDINGS_MASTER_KEY to that key.',
    )
  }
  if (config.storage.databaseUrl !== null) {
    const file = join(pathsIn(directory).secrets, 'master.key')
    throw new OperationFailed(`A database of your own needs TIDINGS_MASTER_KEY: set it to the content of ${file}.`)
  }
  const there = await readSecrets(config.storage.dataDir)
  if (there !== null) fits(restoring, [there.masterKey, ...previousMasterKeys], join(config.storage.dataDir, 'master.key'))
  const kept = await readSecrets(pathsIn(directory).secrets)
  if (kept === null) throw new OperationFailed(`${pathsIn(directory).secrets} holds no master.key: the backup is damaged, use another one.`)
  fits(restoring, [kept.masterKey, ...previousMasterKeys], join(pathsIn(directory).secrets, 'master.key'))
  return kept
}
