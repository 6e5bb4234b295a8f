import { randomBytes } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Secrets that a first start makes. `masterKey` is what TIDINGS_MASTER_KEY would hold: 64 hex digits. */
export type Secrets = Readonly<{ masterKey: string }>

/**
 * The secrets of a data directory, made there when they are missing: one file each, readable by its owner alone.
 * Processes that start together get the same ones. Whoever loses them loses what they sealed.
 */
export async function ensureSecrets(dataDir: string): Promise<Secrets> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  return { masterKey: await ensureSecret(join(dataDir, 'master.key')) }
}

async function ensureSecret(file: string): Promise<string> {
  const existing = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (existing !== null) return existing.trim()
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  await writeFile(draft, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flush: true })
  // A link never replaces what is there: of two first starts both read the same secret.
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(draft)
  return (await readFile(file, 'utf8')).trim()
}
