// Which bundle is current: one whose sources are as they were when it read them. The check takes 5 ms.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../../..')
export const CACHE = join(ROOT, 'node_modules/.cache/tidings')
export const CURRENT = join(CACHE, 'bundle.json')
/** The bundle of a tree that never changes: part of it, and not of a cache that outlives it. */
export const FIXED = join(ROOT, 'bundle')

/**
 * Changes with each change of the file, by its times and its size. An installation elsewhere that links to a library's file changes its `ctime`,
 * so that counts only for our own.
 */
export const stampOf = (path) => {
  const { mtimeMs, ctimeMs, size } = statSync(path)
  return `${path} ${mtimeMs} ${size} ${path.includes('/node_modules/') ? '' : ctimeMs}`
}

/** One text for the state of all the files. */
export const stateOf = (stamps) => createHash('sha256').update(stamps.toSorted().join('\n')).digest('hex').slice(0, 16)

/** The program of the current bundle; null where there is none, or a file that it was made from has changed since. */
export function currentBundle() {
  if (existsSync(FIXED)) return join(FIXED, 'main.mjs')
  try {
    const { files, state, main } = JSON.parse(readFileSync(CURRENT, 'utf8'))
    return stateOf(files.map((file) => stampOf(join(ROOT, file)))) === state ? join(CACHE, main) : null
  } catch {
    return null
  }
}
