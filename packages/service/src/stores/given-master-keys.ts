import { isMasterKey, type KeyStore, type MasterKeyTexts, masterKeysNeeded, missingMasterKey, toPutBack } from '@tidings/codec/keys'
import { assertMasterKey, type Config, ensureSecrets, masterKeyFile, readSecrets } from '@tidings/config'

const NOT_SET = 'TIDINGS_MASTER_KEY is not set'

/**
 * The master keys that a process works with: those of the settings, else that of the data directory. One is made there only for a database that
 * was written under none: another key would open nothing, and hide that the file is missing. Throws one sentence, and has written nothing, where
 * the key that is needed is not here.
 */
export async function givenMasterKeys(config: Config, store: KeyStore): Promise<MasterKeyTexts> {
  const { masterKey, previousMasterKeys } = config.secrets
  const { databaseUrl, dataDir } = config.storage
  if (masterKey !== null) return { masterKey, previousMasterKeys }
  // The file is looked for afterwards: the first start writes it before the database knows its key, so another that starts beside it finds both.
  const needed = await masterKeysNeeded(store)
  if (databaseUrl !== null) {
    if (needed.length > 0) throw missingMasterKey({ what: 'This database', needed, looked: [NOT_SET], mend: 'set it to that key' })
    assertMasterKey(config)
  }
  const from = masterKeyFile(dataDir)
  const there = await readSecrets(dataDir)
  if (needed.length > 0 && (there === null || !isMasterKey(there.masterKey))) {
    const looked = [there === null ? `there is no ${from}` : `${from} holds no key`, NOT_SET]
    throw missingMasterKey({ what: 'This database', needed, looked, mend: toPutBack(from) })
  }
  return { masterKey: (there ?? (await ensureSecrets(dataDir))).masterKey, from, previousMasterKeys }
}
