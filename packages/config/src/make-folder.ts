import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )

/**
 * Makes a folder, and what is missing above it; answers whether it was missing. Rejects where it cannot be made: a recursive `mkdir` of Node
 * never returns where the folder above is there and takes none (`/proc`, a link that leads nowhere).
 */
export async function makeFolder(folder: string, mode = 0o777): Promise<boolean> {
  if (await isFolder(folder)) return false
  const above = dirname(folder)
  if (above !== folder) await makeFolder(above, mode)
  try {
    await mkdir(folder, { mode })
    return true
  } catch (error) {
    if (await isFolder(folder)) return false // somebody beside us was first
    throw error
  }
}
