import { resolve } from 'node:path'
import { pathsIn, readManifest, restoreBackup } from '@tidings/backup-and-export/backup'
import type { Config } from '@tidings/config'
import type { Log } from '@tidings/observability/log'
import { buildReadModels } from '@tidings/service/read-side'
import { openStores } from '@tidings/service/stores'
import { connectingLater } from '../operator/with-database.ts'
import { startProgress } from '../terminal/progress.ts'
import { summaryOf } from './backup.ts'

/** Builds the read models of the restored log before the command returns, as after any change. */
const showIt = async (config: Config, log: Log): Promise<void> => {
  const progress = await startProgress('Building read models')
  const stores = await openStores({ config, log, mode: 'command' })
  try {
    await buildReadModels({ stores, onProgress: progress.update })
  } finally {
    progress.stop()
    await stores.close()
  }
}

/** `tidings restore DIR`: into an installation that holds nothing. */
export async function restore(folder: string, { json }: Readonly<{ json: boolean }>): Promise<void> {
  const directory = resolve(folder)
  const manifest = await readManifest(directory)
  const record = { ...summaryOf(directory, manifest), settings: pathsIn(directory).settings }
  const lines = [
    `Restored ${record.events} events as of ${record.createdAt}. The service can be started.`,
    `The settings it ran with are in ${record.settings}: put what you need into yours.`,
    ...(record.secretsLeftOut.length === 0 ? [] : [`Set as secrets there, so set them here too: ${record.secretsLeftOut.join(', ')}.`]),
  ]
  await connectingLater(json, async ({ config, log, connect }) => {
    const progress = await startProgress('Restoring')
    await restoreBackup({ config, connect, directory, manifest, onProgress: progress.update }).finally(progress.stop)
    await showIt(config, log)
    return { json: record, lines }
  })
}
