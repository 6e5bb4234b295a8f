// Makes one program of the thousand modules that a start loads, where the last one is not current (docs/explanation/architecture.md).
// With `--fixed` it becomes part of the tree, and is current whatever the times of the sources: for an image, which is copied and never changes.
//
// What Node finds by the path of a module (`import.meta.url`) is found at the same place, because each module keeps its own address, and a
// stack trace names the line of the source, by the source map. Most libraries stay outside: they are few files, or look for their own.
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, isAbsolute, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CACHE, currentBundle, FIXED, ROOT, stampOf } from './current-bundle.mjs'
import { draftOf, publish } from './keep-build.mjs'

/** Every start loads them, and they are 700 modules, at nearly a millisecond each. Nothing in them looks for a file. */
const LIBRARIES = new Set([
  ...['kysely', '@sinclair/typebox', '@fastify/type-provider-typebox', 'yaml', 'commander'],
  ...['prom-client', '@opentelemetry/api', 'tdigest', 'bintrees'],
  ...['fastify', 'fastify-plugin', '@fastify/swagger', '@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler'],
  ...['@fastify/merge-json-schemas', 'fast-json-stringify', 'ajv', 'ajv-formats', 'semver', 'avvio', 'find-my-way', 'fast-querystring'],
])

const isOurs = (path) => path.startsWith(ROOT) && !path.includes('/node_modules/')
const libraryOf = (path) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]

const note = (stamps, path) => {
  const file = relative(ROOT, path)
  stamps.set(file, stampOf(file))
}

/**
 * A library outside is named by its path: from the folder of the bundle none is found by its name. The same lock file may be laid out anew at
 * other paths; a file that is gone makes the bundle out of date.
 */
const outside = (stamps) => ({
  name: 'outside',
  async resolveId(specifier, importer, { kind }) {
    if (importer === undefined || /^[./]/.test(specifier) || isBuiltin(specifier)) return null
    const found = await this.resolve(specifier, importer, { kind, skipSelf: true })
    if (found === null) return { id: specifier, external: true }
    if (isOurs(found.id) || LIBRARIES.has(libraryOf(found.id))) return found
    if (isAbsolute(found.id)) note(stamps, found.id)
    return { id: found.id, external: true }
  },
})

/** Its `package.json`: it says what a package exports. */
function packageOf(path) {
  const file = join(dirname(path), 'package.json')
  return existsSync(file) ? file : packageOf(dirname(path))
}

/** Notes the state of each of our files before it is read: a file that is changed later makes the bundle out of date. */
const sources = (stamps) => ({
  name: 'sources',
  load(id) {
    if (!isOurs(id)) return null
    for (const path of [id, packageOf(id)]) note(stamps, path)
    return null
  },
  transform(code, id) {
    if (!isOurs(id) || !code.includes('import.meta.url')) return null
    return code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
  },
})

/** `sources` keeps each line where it is, which is what a stack trace needs. */
const onLog = (level, log, report) => {
  if (log.code !== 'SOURCEMAP_BROKEN') report(level, log)
}

const OUTPUT = {
  format: 'esm',
  sourcemap: true,
  sourcemapExcludeSources: true,
  entryFileNames: 'main.mjs',
  chunkFileNames: '[name]-[hash].mjs',
}

/** Code that another Node has compiled. */
function removeCompiled() {
  const compiled = readdirSync(CACHE).filter((name) => /^v\d/.test(name) && !name.startsWith(`${process.version}-`))
  for (const name of compiled) rmSync(join(CACHE, name), { recursive: true, force: true })
}

async function makeBundle() {
  // Loaded here: an installation without the tools of development has none, and runs from source.
  const { rolldown } = await import('rolldown')
  const draft = draftOf('bundle')
  const stamps = new Map()
  for (const path of [join(ROOT, 'pnpm-lock.yaml'), import.meta.filename]) note(stamps, path)
  const input = join(ROOT, 'packages/cli/src/main.ts')
  const made = await rolldown({ input, platform: 'node', plugins: [outside(stamps), sources(stamps)], logLevel: 'warn', onLog })
  await made.write({ dir: draft, ...OUTPUT })
  await made.close()
  if (process.argv.includes('--fixed')) return renameSync(draft, FIXED)
  publish('bundle', { stamps, main: 'main.mjs' })
  removeCompiled()
}

if (currentBundle() === null) {
  try {
    await makeBundle()
  } catch (error) {
    process.stderr.write(`No bundle could be made, so each start loads the source, in a second more: ${error.message}\n`)
  }
}
