import { resolve } from 'node:path'
import { readManifest } from '../backup/manifest.ts'
import { places } from '../backup/places.ts'
import { restoreBackup } from '../backup/restore-backup.ts'
import { withDatabase } from '../backup/with-database.ts'
import { startProgress } from '../terminal/progress.ts'
import { summaryOf } from './backup.ts'

/** `tidings restore DIR`: into an installation that holds nothing; the next start builds the read models. */
export const restore = async (folder: string, { json }: Readonly<{ json: boolean }>): Promise<void> => {
  const directory = resolve(folder)
  const manifest = await readManifest(directory)
  const record = { ...summaryOf(directory, manifest), settings: places(directory).settings }
  const lines = [
    `Restored ${record.events} events as of ${record.createdAt}. The next start builds the read models.`,
    `The settings it ran with are in ${record.settings}: put what you need into yours.`,
    ...(record.secretsLeftOut.length === 0 ? [] : [`Set as secrets there, so set them here too: ${record.secretsLeftOut.join(', ')}.`]),
  ]
  await withDatabase({ json, existing: false }, async ({ config, pool }) => {
    const progress = await startProgress('Restoring')
    await restoreBackup({ config, pool, directory, manifest, onProgress: progress.update }).finally(progress.stop)
    return { json: record, lines }
  })
}
