import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '@tidings/config/make-folder'

const markIn = (dataDir: string): string => join(dataDir, 'restored')

/**
 * Says in a data directory that a backup was put into it, so that the next start there is nobody's first run. Placed before the rows are:
 * a crash in between costs a demo workspace, never adds one to what was restored.
 */
export const markRestored = async (dataDir: string, createdAt: string): Promise<void> => {
  await makeFolder(dataDir, 0o700)
  await writeFile(markIn(dataDir), `${createdAt}\n`, { mode: 0o600, flush: true })
}

export const unmarkRestored = (dataDir: string): Promise<void> => rm(markIn(dataDir), { force: true })

export const wasRestored = (dataDir: string): boolean => existsSync(markIn(dataDir))
