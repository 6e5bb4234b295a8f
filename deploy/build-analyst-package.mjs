// Makes the folder that `npm pack` packs as `@tidings/analyst`, or that `npm install` takes as it is, for projection files outside a checkout:
// node deploy/build-analyst-package.mjs OUT [VERSION]
// It has what a file imports, as JavaScript with its types, and needs no other package. `tidings projection run` uses its own instead.
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** The compiler is there where the tools of development are installed. */
export const ts = await import('typescript').then(
  (found) => found.default,
  () => {
    console.error('The compiler is not installed: run `npm run predev` once, which installs the tools of development and stops.')
    process.exit(1)
  },
)

const ROOT = join(import.meta.dirname, '..')
const ENTRY = 'packages/analyst/src/index'
/** What an entry may import of the workspace, without a dependency of its own. */
const FACES = { '@tidings/domain': 'domain/src/index' }

const readJson = (file) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'))

/** Every module that the entry leads to, by its path from the root: its JavaScript, or its types. */
function emitted() {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.base.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [] }, ts.sys, ROOT)
  const paths = Object.fromEntries(Object.entries(FACES).map(([name, path]) => [name, [join(ROOT, `${path}.ts`)]]))
  const emitting = { noEmit: false, declaration: true, rewriteRelativeImportExtensions: true, rootDir: ROOT, outDir: '/' }
  const program = ts.createProgram([join(ROOT, `${ENTRY}.ts`)], { ...options, ...emitting, paths })
  const files = new Map()
  program.emit(undefined, (name, text) => files.set(relative('/', name), text))
  return files
}

/** The text with every import by a path that ends in `.js`, and the paths of the modules that it leads to. */
function linked(path, text) {
  const found = []
  let code = text
  // From the last on, so that the positions of those before it hold.
  for (const { fileName, pos } of ts.preProcessFile(text, true, true).importedFiles.toSorted((one, other) => other.pos - one.pos)) {
    const to = FACES[fileName] ?? (fileName.startsWith('.') ? join(dirname(path), fileName.replace(/\.[jt]s$/, '')) : null)
    if (to === null) throw new Error(`${path} imports ${fileName}, which is in no package that this one has.`)
    found.push(to)
    const way = relative(dirname(path), `${to}.js`)
    const at = code.indexOf(fileName, pos)
    code = `${code.slice(0, at)}${way.startsWith('.') ? way : `./${way}`}${code.slice(at + fileName.length)}`
  }
  return { code, found }
}

/** Writes the package into a folder. */
export function writeAnalystPackage(out, version) {
  const files = emitted()
  for (const ending of ['.js', '.d.ts']) {
    const needed = new Set([ENTRY])
    for (const path of needed) {
      const text = files.get(`${path}${ending}`)
      if (text === undefined) throw new Error(`${path}${ending} is missing.`)
      const { code, found } = linked(path, text)
      for (const other of found) needed.add(other)
      mkdirSync(dirname(join(out, path)), { recursive: true })
      writeFileSync(join(out, `${path}${ending}`), code)
    }
  }
  const { name } = readJson('packages/analyst/package.json')
  const { version: current, license } = readJson('package.json')
  const manifest = {
    ...{ name, version: version ?? current, license, type: 'module', sideEffects: false },
    description: 'What projection files of Tidings import: projection, table, and the types of its events.',
    exports: { '.': { types: `./${ENTRY}.d.ts`, default: `./${ENTRY}.js` } },
  }
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

function main([out, version]) {
  if (out === undefined || existsSync(out))
    throw new Error('Usage: node deploy/build-analyst-package.mjs OUT [VERSION], OUT being a folder that is not there.')
  writeAnalystPackage(out, version)
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === import.meta.filename) main(process.argv.slice(2))
