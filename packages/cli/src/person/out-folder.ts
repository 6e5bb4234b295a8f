import { chmod, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { OperationFailed } from '@tidings/config'
import { makeFolder } from '@tidings/config/make-folder'

/** Lets `fill` write files into a folder that is new or empty. Where it fails, what it wrote is taken away again. */
export async function outFolder(
  folder: string,
  files: readonly string[],
  fill: (paths: readonly string[]) => Promise<void>,
): Promise<void> {
  const inside = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw cannot(folder, error)
  })
  if (inside.length > 0) throw new OperationFailed(`${folder} is not empty: name a folder that is new or empty.`)
  const paths = files.map((file) => join(folder, file))
  try {
    if (await makeFolder(folder, 0o700)) await chmod(folder, 0o700)
    await fill(paths)
  } catch (error) {
    for (const path of paths) await rm(path, { force: true })
    throw error instanceof Error && 'code' in error && 'syscall' in error ? cannot(folder, error) : error
  }
}

const cannot = (folder: string, error: Readonly<{ code?: unknown }>): OperationFailed =>
  new OperationFailed(`${folder} cannot be written (${error.code}): make room, or name a folder that you may write.`, { cause: error })
