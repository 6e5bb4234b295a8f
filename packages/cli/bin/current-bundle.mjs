// Which of what was made from the sources is current: what was made when they were as they are now.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../../..')
export const CACHE = join(ROOT, 'node_modules/.cache/tidings')
/** The bundle of a tree that never changes: part of it, and not of a cache that outlives it. */
export const FIXED = join(ROOT, 'bundle')

/**
 * Changes with each change of the file, by its times and its size; `file` is its path from the root. An installation elsewhere that links to a
 * library's file changes its `ctime`, so that counts only for our own. Every start asks this of 1 400 files: `join` would double its time.
 */
export const stampOf = (file) => {
  const { mtimeMs, ctimeMs, size } = statSync(`${ROOT}/${file}`)
  return `${file} ${mtimeMs} ${size} ${file.includes('node_modules/') ? '' : ctimeMs}`
}

/** One text for the state of all the files. */
export const stateOf = (stamps) =>
  createHash('sha256')
    .update([ROOT, ...stamps.toSorted()].join('\n'))
    .digest('hex')
    .slice(0, 16)

/** The file in which the cache says what of this name is current. */
export const recordOf = (name) => join(CACHE, `${name}.json`)

/** The last that was made of this name; null where there is none, or a file that it was made from has changed since. */
export function currentOf(name) {
  try {
    const { files, state, main } = JSON.parse(readFileSync(recordOf(name), 'utf8'))
    return stateOf(files.map(stampOf)) === state ? join(CACHE, main) : null
  } catch {
    return null
  }
}

/** The program of the current bundle. */
export const currentBundle = () => (existsSync(FIXED) ? join(FIXED, 'main.mjs') : currentOf('bundle'))
