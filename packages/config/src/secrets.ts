import { randomBytes } from 'node:crypto'
import { link, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from './make-folder.ts'

/** Secrets that a first start makes. `masterKey` is what TIDINGS_MASTER_KEY would hold: 64 hex digits. */
export type Secrets = Readonly<{ masterKey: string }>

const MASTER_KEY = 'master.key'

/**
 * The secrets of a data directory, made there when they are missing: one file each, readable by its owner alone.
 * Processes that start together get the same ones. Without them what they sealed is lost.
 */
export async function ensureSecrets(dataDir: string): Promise<Secrets> {
  return (await readSecrets(dataDir)) ?? (await placeSecrets(dataDir, { masterKey: randomBytes(32).toString('hex') }))
}

/** Puts another master key in the place of the one that lies in the folder: after a crash the one or the other is there, whole. */
export async function replaceMasterKey(folder: string, masterKey: string): Promise<void> {
  const file = join(folder, MASTER_KEY)
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  await writeFile(draft, `${masterKey}\n`, { mode: 0o600, flush: true })
  await rename(draft, file)
  const directory = await open(folder, 'r')
  await directory.sync().finally(() => directory.close())
}

/** The secrets that lie in a folder; null where there are none. */
export async function readSecrets(folder: string): Promise<Secrets | null> {
  const masterKey = await readFile(join(folder, MASTER_KEY), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  return masterKey === null ? null : { masterKey: masterKey.trim() }
}

/** Puts secrets into a folder, durably, and answers with those that lie there now: what is there is never replaced. */
export async function placeSecrets(folder: string, { masterKey }: Secrets): Promise<Secrets> {
  await makeFolder(folder, 0o700)
  const file = join(folder, MASTER_KEY)
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  await writeFile(draft, `${masterKey}\n`, { mode: 0o600, flush: true })
  // A link never replaces what is there: of two first starts both read the same secret.
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(draft)
  return { masterKey: (await readFile(file, 'utf8')).trim() }
}
