import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const CACHE = join(ROOT, 'node_modules/.cache/tidings')
/** The pages of a tree that never changes, such as that of an image. */
const FIXED = join(ROOT, 'pages')

/** A name that the build gives: no folder, and nothing hidden. */
const NAME = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)+$/

const orNull = <Value>(reading: Promise<Value>): Promise<Value | null> => reading.catch(() => null)

/**
 * The folder that dashboard/build.mjs made last; null where there is none. It is asked for with each page: pages made anew are served
 * without another start.
 */
async function currentFolder(): Promise<string | null> {
  if (existsSync(FIXED)) return FIXED
  const record = await orNull(readFile(join(CACHE, 'dashboard.json'), 'utf8'))
  if (record === null) return null
  const { main }: { main: string } = JSON.parse(record)
  return join(CACHE, dirname(main))
}

/** The one page, in which the script shows what its path names; null where none was made. */
export async function readIndex(): Promise<string | null> {
  const folder = await currentFolder()
  return folder === null ? null : orNull(readFile(join(folder, 'index.html'), 'utf8'))
}

/** A file that the page loads, or its compressed copy; null where there is none. */
export async function readAsset(name: string, compressed: boolean): Promise<Buffer | null> {
  const folder = await currentFolder()
  if (folder === null || !NAME.test(name)) return null
  return orNull(readFile(join(folder, 'assets', compressed ? `${name}.gz` : name)))
}
