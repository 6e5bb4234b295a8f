import { randomBytes } from 'node:crypto'
import { link, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from './make-folder.ts'

/** The content of a file of a folder; null where there is none. */
export async function readSecretFile(folder: string, name: string): Promise<string | null> {
  const text = await readFile(join(folder, name), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  return text === null ? null : text.trim()
}

/** Puts a secret into a file, readable by its owner alone, durably; answers with what is there now: what is there is never replaced. */
export async function putSecretFile(folder: string, name: string, secret: string): Promise<string> {
  await makeFolder(folder, 0o700)
  const file = join(folder, name)
  const draft = await writeDraft(file, secret)
  // A link never replaces what is there: of two first starts both read the same secret.
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(draft)
  return (await readFile(file, 'utf8')).trim()
}

/** Puts another secret in its place: after a crash the one or the other is there, whole. */
export async function replaceSecretFile(folder: string, name: string, secret: string): Promise<void> {
  await makeFolder(folder, 0o700)
  const file = join(folder, name)
  await rename(await writeDraft(file, secret), file)
  const directory = await open(folder, 'r')
  await directory.sync().finally(() => directory.close())
}

const writeDraft = async (file: string, secret: string): Promise<string> => {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  await writeFile(draft, `${secret}\n`, { mode: 0o600, flush: true })
  return draft
}
