import { resolve } from 'node:path'
import { bytesOf, type Manifest, writeBackup } from '@tidings/backup-and-export/backup'
import { keysNamed } from '@tidings/codec/keys'
import { withDatabase } from '../operator/with-database.ts'
import { startProgress } from '../terminal/progress.ts'

const aboutKeys = (directory: string, { masterKeyIncluded, masterKeys }: Manifest): string => {
  if (masterKeyIncluded)
    return `IT HOLDS THE MASTER KEY: anyone who has ${directory} can read everything in it. Keep it as you keep a password.`
  const which = masterKeys.length === 0 ? 'The master key' : `${keysNamed(masterKeys).replace(/^t/, 'T')}, which you keep,`
  return `${which} is not in it: without that key the backup cannot be read.`
}

/** The summary of a backup that `backup` and `restore` print. */
export function summaryOf(directory: string, manifest: Manifest) {
  return {
    directory,
    createdAt: manifest.createdAt,
    head: manifest.head,
    events: manifest.tables.find(({ name }) => name === 'es.event')?.rows ?? 0,
    bytes: bytesOf(manifest),
    masterKeyIncluded: manifest.masterKeyIncluded,
    secretsLeftOut: manifest.secretsLeftOut,
  }
}

/** `tidings backup DIR`: beside a running service or without one. */
export function backup(folder: string, { json }: Readonly<{ json: boolean }>): Promise<void> {
  return withDatabase(json, async ({ config, pool }) => {
    const directory = resolve(folder)
    const progress = await startProgress('Backing up')
    const manifest = await writeBackup({ config, pool, directory, onProgress: progress.update }).finally(progress.stop)
    const record = summaryOf(directory, manifest)
    const left = manifest.secretsLeftOut.filter((name) => name !== 'TIDINGS_MASTER_KEY')
    const lines = [
      `Backed up ${record.events} events as of ${record.createdAt} to ${directory} (${record.bytes} bytes).`,
      aboutKeys(directory, manifest),
      ...(left.length === 0 ? [] : [`Not in it, because you set them as secrets: ${left.join(', ')}.`]),
    ]
    return { json: record, lines }
  })
}
