import { parseMasterKey, WrongMasterKey } from '@tidings/codec'
import { keysNamed, missingMasterKey } from '@tidings/codec/keys'
import { type Config, masterKeyFile, OperationFailed, readSecrets } from '@tidings/config'
import type { Manifest } from './manifest.ts'
import { pathsIn } from './paths.ts'

type Restoring = Readonly<{ config: Config; directory: string; manifest: Manifest }>

/** A key, and the variable or the file that has it; `mend`: what to do where it is another one. */
type CandidateKey = Readonly<{ text: string; from: string; mend: string }>

/** Throws where the backup needs a key that is neither this one nor one of the previous ones. */
const assertFits = ({ config, manifest }: Restoring, { text, from, mend }: CandidateKey): void => {
  const previous = config.secrets.previousMasterKeys.map((key) => parseMasterKey(key, 'TIDINGS_PREVIOUS_MASTER_KEYS'))
  const here = [parseMasterKey(text, from), ...previous].map(({ id }) => id)
  const missing = manifest.masterKeys.filter((id) => !here.includes(id))
  if (missing.length === 0) return
  if (missing.length < manifest.masterKeys.length) {
    const remedy = 'add it to TIDINGS_PREVIOUS_MASTER_KEYS'
    throw new OperationFailed(`This backup was written under ${keysNamed(missing)} as well, which is missing: ${remedy}.`)
  }
  throw new OperationFailed(`${from} is not the key this backup was written under (${manifest.masterKeys.join(', ')}): ${mend}.`)
}

/** Throws: no place has a key. */
const refuse = ({ config, directory, manifest }: Restoring): never => {
  const { masterKeys: needed, masterKeyIncluded } = manifest
  const places = [config.storage.databaseUrl === null ? [config.storage.dataDir] : [], [pathsIn(directory).secrets]].flat()
  const looked = ['TIDINGS_MASTER_KEY is not set', ...places.map((folder) => `there is no ${masterKeyFile(folder)}`)]
  const mend = masterKeyIncluded
    ? 'the backup is damaged, because it had that file: use another copy of it, or set TIDINGS_MASTER_KEY to that key'
    : 'its operator kept the key and the backup never had it: set TIDINGS_MASTER_KEY to that key'
  throw missingMasterKey({ what: 'This backup', needed, looked, mend })
}

const masterKeyFor = async (restoring: Restoring): Promise<string | null> => {
  const { config, directory, manifest } = restoring
  const { secrets, storage } = config
  const inBackup = masterKeyFile(pathsIn(directory).secrets)
  const kept = (await readSecrets(pathsIn(directory).secrets))?.masterKey ?? null
  const given = { text: secrets.masterKey ?? '', from: 'TIDINGS_MASTER_KEY' }
  const ofBackup = kept === null ? 'that key' : `the content of ${inBackup}`
  if (secrets.masterKey !== null) {
    assertFits(restoring, { ...given, mend: kept === null ? 'set the one it had' : `set it to ${ofBackup}` })
    return null
  }
  if (storage.databaseUrl !== null) {
    if (kept === null && manifest.masterKeys.length > 0) return refuse(restoring)
    throw new OperationFailed(`A database of your own needs TIDINGS_MASTER_KEY: set it to ${ofBackup}.`)
  }
  const there = (await readSecrets(storage.dataDir))?.masterKey ?? null
  if (there !== null) {
    const mend = kept === null ? 'put that key there' : `put ${ofBackup} there`
    assertFits(restoring, { text: there, from: masterKeyFile(storage.dataDir), mend })
    return null
  }
  if (kept === null) return manifest.masterKeys.length === 0 ? null : refuse(restoring)
  assertFits(restoring, { text: kept, from: inBackup, mend: 'use another copy of the backup, or set TIDINGS_MASTER_KEY to that key' })
  return kept
}

/**
 * The master key to put into the data directory; null where the one in force is not of the backup, or is there. Throws one sentence where what is
 * restored could not be read under the key that the service would start with.
 */
export function masterKeyToPut(restoring: Restoring): Promise<string | null> {
  return masterKeyFor(restoring).catch((error: unknown) => {
    throw error instanceof WrongMasterKey ? new OperationFailed(error.message, { cause: error }) : error
  })
}
