import { type FileHandle, open, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { OperationFailed } from '@tidings/config'
import { type Reached, readUnfinished, type Unfinished, unfinishedPath, writeUnfinished } from './unfinished.ts'

/** The file that an export writes, open at the place where it goes on. */
export type TargetFile = Readonly<{
  reached: Reached
  /** Resolves when the bytes before these are written. */
  append: (bytes: Uint8Array) => Promise<void>
  /** All that was appended is on disk, and a later call goes on from here. */
  checkpoint: (reached: Omit<Reached, 'bytes'>) => Promise<void>
  /** All of it is on disk: the export is whole. */
  finish: () => Promise<void>
  close: () => Promise<void>
}>

const AT_THE_START: Reached = { bytes: 0, events: 0, to: null, seen: null, encoding: null }

/**
 * Opens a new file, or one that the same call began and did not finish: what is behind its last checkpoint is cut off. Only its owner may
 * read it. Throws one sentence for any other file.
 */
export async function openTarget(file: string, asked: string): Promise<TargetFile> {
  const known = await readUnfinished(file)
  if (known === null) await assertFree(file)
  else if (known.asked !== asked)
    throw new OperationFailed(
      `${file} is an unfinished export of another selection: repeat the call that began it, or export to another file.`,
    )
  const unfinished: Unfinished = known ?? { version: 1, asked, begun: false, ...AT_THE_START }
  if (known === null) await writeUnfinished(file, unfinished)
  const handle = unfinished.begun ? await reopen(file, unfinished) : await create(file)
  if (!unfinished.begun) await writeUnfinished(file, { ...unfinished, begun: true })
  await syncFolder(dirname(file))
  return writing(file, handle, { ...unfinished, begun: true })
}

const sizeOf = async (file: string): Promise<number | null> => {
  try {
    return (await stat(file)).size
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

const assertFree = async (file: string): Promise<void> => {
  if ((await sizeOf(file)) === null) return
  throw new OperationFailed(`${file} exists: name another file. To go on behind a finished export, give its \`to\` as --from.`)
}

/** Killed between the first two steps, an export has left nothing or an empty file. */
const create = async (file: string): Promise<FileHandle> => {
  if ((await sizeOf(file)) === 0) await rm(file)
  try {
    return await open(file, 'wx', 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    await rm(unfinishedPath(file))
    throw new OperationFailed(`${file} exists: name another file.`)
  }
}

const reopen = async (file: string, { bytes }: Unfinished): Promise<FileHandle> => {
  const size = await sizeOf(file)
  if (size === null || size < bytes)
    throw new OperationFailed(`${file} is not what the export left there: delete it and ${unfinishedPath(file)} to begin anew.`)
  const handle = await open(file, 'r+')
  await handle.truncate(bytes)
  return handle
}

const writing = (file: string, handle: FileHandle, begun: Unfinished): TargetFile => {
  let end = begun.bytes
  let last: Promise<void> = Promise.resolve()
  const append = async (bytes: Uint8Array): Promise<void> => {
    await last
    last = writeAll(handle, bytes, end)
    last.catch(() => undefined) // awaited by the next call
    end += bytes.length
  }
  const sync = async (): Promise<void> => {
    await last
    await handle.datasync()
  }
  return {
    reached: begun,
    append,
    checkpoint: async (reached) => {
      await sync()
      await writeUnfinished(file, { ...begun, ...reached, bytes: end })
    },
    finish: async () => {
      await sync()
      await rm(unfinishedPath(file))
      await syncFolder(dirname(file))
    },
    close: async () => {
      await last.catch(() => undefined) // its failure was thrown where it was awaited
      await handle.close()
    },
  }
}

const writeAll = async (handle: FileHandle, bytes: Uint8Array, at: number): Promise<void> => {
  for (let done = 0; done < bytes.length; ) done += (await handle.write(bytes, done, bytes.length - done, at + done)).bytesWritten
}

const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
