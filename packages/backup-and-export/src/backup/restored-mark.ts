import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '@tidings/config/make-folder'

const markIn = (dataDir: string): string => join(dataDir, 'restored')

/**
 * Marks a data directory as restored, so that its next start creates no demo workspace. Written before the rows: after a crash in between
 * the demo workspace is missing, and never added to restored rows.
 */
export async function markRestored(dataDir: string, createdAt: string): Promise<void> {
  await makeFolder(dataDir, 0o700)
  await writeFile(markIn(dataDir), `${createdAt}\n`, { mode: 0o600, flush: true })
}

export function unmarkRestored(dataDir: string): Promise<void> {
  return rm(markIn(dataDir), { force: true })
}

export function wasRestored(dataDir: string): boolean {
  return existsSync(markIn(dataDir))
}
