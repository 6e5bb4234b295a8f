import { existsSync } from 'node:fs'
import { WrongMasterKey } from '@tidings/codec'
import { postgresKeyStore, type Rotated, RotationFailed, rotateMasterKey } from '@tidings/codec/keys'
import { type Config, loadConfig, masterKeyFile, OperationFailed, readSecrets, replaceMasterKey } from '@tidings/config'
import { createLog } from '@tidings/observability/log'
import { givenMasterKeys, openPools } from '@tidings/service/stores'
import { startProgress } from '../terminal/progress.ts'

/** The place of the master key. `file`: in the data directory; null if the operator gives the key. */
type MasterKeySource = Readonly<{ file: string | null }>

const sourceOf = ({ secrets, storage: { databaseUrl, dataDir } }: Config): MasterKeySource => {
  if (secrets.masterKey !== null || databaseUrl !== null) return { file: null }
  if (!existsSync(dataDir))
    throw new OperationFailed(`There is no data directory ${dataDir}: set TIDINGS_DATA_DIR to the one that Tidings runs on.`)
  return { file: masterKeyFile(dataDir) }
}

/** Writes the key that is there over itself: a folder that takes no other file says so before anything is wrapped anew. */
const assertReplaceable = async ({ storage: { dataDir } }: Config): Promise<void> => {
  const there = await readSecrets(dataDir)
  if (there !== null) await replaceMasterKey(dataDir, there.masterKey)
}

const beginning = (key: string, { file }: MasterKeySource): string =>
  file === null
    ? `The new master key, shown until this is done:

  ${key}

Keep it where you keep secrets. A process that is started from now on needs it as TIDINGS_MASTER_KEY, and until this says done the old one in
TIDINGS_PREVIOUS_MASTER_KEYS as well; those that run have taken it over. Killed, this goes on when it is called again as it was called now.
`
    : `Rotating the master key in ${file}. Killed, this goes on when it is called again.\n`

const ending = ({ key, rewrapped }: Rotated, { file }: MasterKeySource): string =>
  file === null
    ? `Done: ${rewrapped} keys were wrapped anew, and the old master key opens nothing any more. Start every process with TIDINGS_MASTER_KEY set to the new one from now on, and forget the old one.\n`
    : `Done: ${rewrapped} keys were wrapped anew under ${key}, which is in ${file} now. The old master key opens nothing any more, but backups of before.\n`

/** Resolves when the text is written: only then may the key that it shows be dropped. */
const printed = (text: string): Promise<void> =>
  new Promise((resolve, reject) => process.stdout.write(text, (error) => (error ? reject(error) : resolve())))

/** `tidings master-key rotate`. */
export async function rotate({ json }: Readonly<{ json: boolean }>): Promise<void> {
  const config = loadConfig(process.env)
  const source = sourceOf(config)
  const log = await createLog({ level: 'warn', to: 'stderr' })
  const pools = await openPools({ config, log, mode: 'command' })
  const progress = await startProgress('Rotating the master key')
  try {
    await rotateMasterKey({
      pool: pools.pool,
      given: await givenMasterKeys(config, postgresKeyStore(pools.pool)),
      onBegin: async () => {
        if (source.file !== null) await assertReplaceable(config)
      },
      onKey: (key) => {
        if (!json) process.stdout.write(beginning(key, source))
      },
      onProgress: progress.update,
      keep: async (key) => {
        if (source.file !== null) await replaceMasterKey(config.storage.dataDir, key)
      },
      onDone: async (rotated) => {
        progress.stop()
        await printed(json ? `${JSON.stringify(rotated)}\n` : ending(rotated, source))
      },
    })
  } catch (error) {
    if (error instanceof WrongMasterKey || error instanceof RotationFailed) throw new OperationFailed(error.message, { cause: error })
    throw error
  } finally {
    progress.stop()
    await pools.close()
  }
}
