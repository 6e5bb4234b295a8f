import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { registerHooks } from 'node:module'
import { basename, dirname, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { OperationFailed } from '@tidings/config'
import { type AnalystProjection, isProjection } from '../projection.ts'

/** `hash`: SHA-256 of the file, or of it and the files of its own that it imports. `name` is how messages call it. */
export type ProjectionFile = Readonly<{ name: string; hash: string; projection: AnalystProjection }>

const FACE = new URL('../index.ts', import.meta.url).href
const IS_TYPESCRIPT = /\.m?ts$/

/** A path or a file's address, and no package. */
const LOCAL = /^(\.{0,2}\/|\.\.?$|file:|#)/
const isLocal = (specifier: string, url: string): boolean =>
  LOCAL.test(specifier) && url.startsWith('file:') && !url.includes('/node_modules/')

type Imported = Readonly<{ exported: unknown; modules: readonly string[] }>

/**
 * Imports a file as the program itself is: with all of this process's rights. Wherever it lies, its `@tidings/analyst` is this one, and its
 * types are stripped without a package.json that says what it is. `modules`: the paths of itself and of its own.
 */
const importFile = async (url: string): Promise<Imported> => {
  const own = new Set<string>()
  const hooks = registerHooks({
    resolve: (specifier, context, next) => {
      if (specifier === '@tidings/analyst') return { url: FACE, shortCircuit: true }
      const resolved = next(specifier, context)
      if (specifier !== url && !(own.has(context.parentURL ?? '') && isLocal(specifier, resolved.url))) return resolved
      own.add(resolved.url)
      return IS_TYPESCRIPT.test(resolved.url) ? { ...resolved, format: 'module-typescript' } : resolved
    },
  })
  try {
    const { default: exported } = (await import(url)) as Readonly<{ default?: unknown }>
    const [entry = url, ...others] = own
    return { exported, modules: [entry, ...others].map((module) => fileURLToPath(module)) }
  } finally {
    hooks.deregister()
  }
}

const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** The same wherever the folder lies. */
const hashOf = async ([file = '', ...others]: readonly string[]): Promise<string> => {
  const hash = sha256(await bytesOf(file))
  if (others.length === 0) return hash
  const each = await Promise.all(others.map(async (path) => `${sha256(await bytesOf(path))} ${relative(dirname(file), path)}`))
  return sha256([hash, ...each.toSorted()].join('\n'))
}

const bytesOf = (path: string): Promise<Buffer> =>
  readFile(path).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? `There is no file ${path}` : `${path} cannot be read (${error.message})`
    throw new OperationFailed(`${why}: name a projection file, or write one with \`tidings projection new NAME\`.`, { cause: error })
  })

/** Loads FILE of `projection run`; one sentence where it is no projection. */
export async function loadFile(path: string): Promise<ProjectionFile> {
  await bytesOf(path)
  const { exported, modules } = await importFile(pathToFileURL(resolve(path)).href).catch((error: unknown) => {
    throw new OperationFailed(`${path} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  })
  if (!isProjection(exported)) throw new OperationFailed(`${path} is no projection: its default export must be made by projection({ … }).`)
  return { name: basename(path), hash: await hashOf(modules), projection: exported }
}
