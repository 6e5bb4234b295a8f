import { randomBytes } from 'node:crypto'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { OperationFailed } from '@tidings/config'
import { makeFolder } from '@tidings/config/make-folder'

const assertFree = async (directory: string): Promise<void> => {
  const inside = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw new OperationFailed(`${directory} cannot be used for a backup (${error.code}): name a folder that does not exist yet.`)
  })
  if (inside.length > 0) throw new OperationFailed(`${directory} is not empty: name a folder that does not exist yet.`)
}

const syncFolder = async (directory: string): Promise<void> => {
  const handle = await open(directory)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const OF_THE_DISK = ['ENOSPC', 'EDQUOT', 'EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST', 'EIO']

/** A disk that is full or may not be written, in one sentence; other errors as they are. */
const explained = (error: unknown, directory: string): unknown => {
  const { code } = error as NodeJS.ErrnoException
  if (code === undefined || !OF_THE_DISK.includes(code)) return error
  return new OperationFailed(`The backup ${directory} cannot be written (${code}): make room, or name a folder that you may write.`, {
    cause: error,
  })
}

/**
 * Makes a folder that is there whole or not at all: `fill` writes into a sibling, which gets the name when everything is on disk. It is
 * closed to other users. A failure leaves nothing; what a killed process leaves is called `NAME.partial-…`.
 */
export async function wholeFolder<Result>(directory: string, fill: (draft: string) => Promise<Result>): Promise<Result> {
  const target = resolve(directory)
  await assertFree(target)
  const draft = join(dirname(target), `${basename(target)}.partial-${randomBytes(4).toString('hex')}`)
  try {
    await makeFolder(dirname(target))
    await mkdir(draft, { mode: 0o700 })
    const result = await fill(draft)
    await syncFolder(draft)
    await rename(draft, target)
    await syncFolder(dirname(target))
    return result
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw explained(error, directory)
  }
}
