import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { registerHooks } from 'node:module'
import { basename, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { OperationFailed } from '@tidings/config'
import { type AnalystProjection, isProjection } from '../projection.ts'

/** `hash`: SHA-256 of the file. `name` is how messages call it. */
export type ProjectionFile = Readonly<{ name: string; hash: string; projection: AnalystProjection }>

const FACE = new URL('../index.ts', import.meta.url).href
const IS_TYPESCRIPT = /\.m?ts$/

/**
 * Imports a file as the program itself is: with all of this process's rights. Wherever it lies, its `@tidings/analyst` is this one, and its
 * types are stripped without a package.json that says what it is.
 */
const importFile = async (url: string): Promise<unknown> => {
  const hooks = registerHooks({
    resolve: (specifier, context, next) => {
      if (specifier === '@tidings/analyst') return { url: FACE, shortCircuit: true }
      const resolved = next(specifier, context)
      return resolved.url === url && IS_TYPESCRIPT.test(url) ? { ...resolved, format: 'module-typescript' } : resolved
    },
  })
  try {
    return ((await import(url)) as Readonly<{ default?: unknown }>).default
  } finally {
    hooks.deregister()
  }
}

const bytesOf = (path: string): Promise<Buffer> =>
  readFile(path).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? `There is no file ${path}` : `${path} cannot be read (${error.message})`
    throw new OperationFailed(`${why}: name a projection file, or write one with \`tidings projection new NAME\`.`, { cause: error })
  })

/** Loads FILE of `projection run`; one sentence where it is no projection. */
export async function loadFile(path: string): Promise<ProjectionFile> {
  const absolute = resolve(path)
  const hash = createHash('sha256')
    .update(await bytesOf(path))
    .digest('hex')
  const exported = await importFile(pathToFileURL(absolute).href).catch((error: unknown) => {
    throw new OperationFailed(`${path} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  })
  if (!isProjection(exported)) throw new OperationFailed(`${path} is no projection: its default export must be made by projection({ … }).`)
  return { name: basename(path), hash, projection: exported }
}
