import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { access, chmod, constants, link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '@tidings/config/make-folder'

/** The places in a data directory that belong to the embedded server. */
export type DataDir = Readonly<{
  root: string
  clusterDir: string
  logFile: string
  lockFile: string
  membersDir: string
  portFile: string
  passwordFile: string
}>

/** Names the places; touches nothing. `root` must be absolute. */
export function dataDir(root: string): DataDir {
  return {
    root,
    clusterDir: join(root, 'postgres'),
    logFile: join(root, 'postgres.log'),
    lockFile: join(root, 'tidings.pid'),
    membersDir: join(root, 'members'),
    portFile: join(root, 'postgres.port'),
    passwordFile: join(root, 'postgres.password'),
  }
}

/** Makes the directory where it is missing, closed to other users; one sentence when it cannot be made or written. */
export async function prepareDataDir(root: string): Promise<void> {
  try {
    if (await makeFolder(root, 0o700)) await chmod(root, 0o700)
    await access(root, constants.W_OK | constants.X_OK)
  } catch (error) {
    const advice = 'make it writable for the user who starts Tidings, or set TIDINGS_DATA_DIR to another place'
    throw new Error(`The data directory ${root} cannot be written: ${advice}.`, { cause: error })
  }
}

/**
 * The server's password, made on the first start: 256 random bits, readable by the owner alone. Throws one sentence where a cluster is there and
 * its password is not: another one would open nothing, and hide that the file is missing.
 */
export async function serverPassword({ passwordFile: file, clusterDir }: Pick<DataDir, 'passwordFile' | 'clusterDir'>): Promise<string> {
  // The cluster is looked for first: the first start makes it after the password.
  if (existsSync(clusterDir) && !existsSync(file))
    throw new Error(
      `There is no ${file}, the password of the database beside it: put that file back from a copy of the data directory, or restore a backup into another one`,
    )
  // Named by chance: processes of two containers have one pid, and what is linked must not be written again.
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  await writeFile(draft, randomBytes(32).toString('hex'), { mode: 0o600, flush: true })
  // A link never replaces what is there: of two first starts both read the same password.
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(draft)
  return (await readFile(file, 'utf8')).trim()
}
