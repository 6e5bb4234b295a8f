import { randomBytes } from 'node:crypto'
import { link, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from './make-folder.ts'
import { OperationFailed } from './operation-failed.ts'

/** The content of a file of a folder; null where there is none. Throws one sentence where it cannot be read. */
export async function readSecretFile(folder: string, name: string): Promise<string | null> {
  const file = join(folder, name)
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    // A container engine makes a folder where the file that it is to mount is missing.
    const is = error.code === 'EISDIR' ? 'is a folder' : `cannot be read (${error.code})`
    throw new OperationFailed(`${file} ${is}: put there the file as it was, readable for the user who starts Tidings.`, { cause: error })
  })
  return text === null ? null : text.trim()
}

const unwritable = (file: string, error: NodeJS.ErrnoException): OperationFailed =>
  new OperationFailed(`${file} cannot be written (${error.code}): make room, and its folder writable for the user who starts Tidings.`, {
    cause: error,
  })

/** Puts a secret into a file, readable by its owner alone, durably; answers with what is there now: what is there is never replaced. */
export async function putSecretFile(folder: string, name: string, secret: string): Promise<string> {
  const file = join(folder, name)
  const draft = await draftIn(folder, file, secret)
  // A link never replaces what is there: of two first starts both read the same secret.
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(draft)
  await syncFolder(folder)
  return (await readFile(file, 'utf8')).trim()
}

/** Puts another secret in its place: after a crash the one or the other is there, whole. */
export async function replaceSecretFile(folder: string, name: string, secret: string): Promise<void> {
  const file = join(folder, name)
  const draft = await draftIn(folder, file, secret)
  await rename(draft, file).catch(async (error: NodeJS.ErrnoException) => {
    await rm(draft, { force: true })
    throw unwritable(file, error)
  })
  await syncFolder(folder)
}

/** The name of a file is as durable as the folder that has it. */
const syncFolder = async (folder: string): Promise<void> => {
  const directory = await open(folder, 'r')
  await directory.sync().finally(() => directory.close())
}

/** Takes a secret away that `putSecretFile` has put. */
export async function removeSecretFile(folder: string, name: string): Promise<void> {
  await rm(join(folder, name), { force: true })
}

const draftIn = async (folder: string, file: string, secret: string): Promise<string> => {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  try {
    await makeFolder(folder, 0o700)
    await writeFile(draft, `${secret}\n`, { mode: 0o600, flush: true })
    return draft
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined)
    throw unwritable(file, error as NodeJS.ErrnoException)
  }
}
