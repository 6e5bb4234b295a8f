// Makes the folder that `npm pack` packs as `tidings`, the runtime as one package: node deploy/build-npm-package.mjs OUT [VERSION]
// Node strips no types below a folder node_modules, so each module is stripped here, at its line and column, and gets the ending .js. Packages of
// the workspace are in it, named by their paths; libraries are its dependencies, in the versions that are installed here.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { ts, writeAnalystPackage } from './build-analyst-package.mjs'

const ROOT = join(import.meta.dirname, '..')
const ENTRY = 'packages/cli'
const BIN = ['tidings.mjs', 'current-bundle.mjs', 'source-lines.mjs', 'start-again.mjs']
/** Only there for tests and for development; and what a start or an editor leaves in a folder, such as the keys of `.tidings`. */
const LEFT_OUT = /(^|\/)\.|\.log$|~$|(^|\/)(node_modules|test|testing|golden)(\/|$)|\.(test|testing|fixture)\.ts$|\.d\.m?ts$|^bin(\/|$)/
/** Makes bundles, in development. */
const TOOLS = new Set(['rolldown'])
const OLDEST_NODE = 24

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'))

/** The folders of the workspace by the names of their packages. */
const workspace = () => {
  const folders = ['domain', 'command-api', 'query-api', 'dashboard-api', 'projectors', 'consumers']
  const packages = readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}`)
  const all = [...folders, ...packages].filter((folder) => existsSync(join(ROOT, folder, 'package.json')))
  return new Map(all.map((folder) => [readJson(join(ROOT, folder, 'package.json')).name, folder]))
}

const FOLDERS = workspace()

/** The folders that the command line is made of, itself first. */
function folderClosure() {
  const found = new Set([ENTRY])
  for (const folder of found)
    for (const name of Object.keys(readJson(join(ROOT, folder, 'package.json')).dependencies ?? {})) {
      const other = FOLDERS.get(name)
      if (other !== undefined) found.add(other)
    }
  return [...found]
}

/** Each library in the one version that is installed. */
function librariesOf(folders) {
  const [required, optional] = [new Map(), new Map()]
  for (const folder of folders) {
    const manifest = readJson(join(ROOT, folder, 'package.json'))
    for (const [into, names] of [
      [required, manifest.dependencies],
      [optional, manifest.optionalDependencies],
    ])
      for (const name of Object.keys(names ?? {}).filter((one) => !FOLDERS.has(one) && !TOOLS.has(one))) {
        const { version } = readJson(join(ROOT, folder, 'node_modules', name, 'package.json'))
        if ((into.get(name) ?? version) !== version)
          throw new Error(`${name} is installed in two versions: ${into.get(name)} and ${version}.`)
        into.set(name, version)
      }
  }
  const sorted = (map) => Object.fromEntries([...map].sort(([one], [other]) => (one < other ? -1 : 1)))
  return { dependencies: sorted(required), optionalDependencies: sorted(optional) }
}

const asJs = (path) => path.replace(/\.ts$/, '.js')

/** The file that a specifier of the workspace names, from the root. */
function fileOf(specifier) {
  const [scope, name, ...rest] = specifier.split('/')
  const folder = FOLDERS.get(`${scope}/${name}`)
  const manifest = readJson(join(ROOT, folder, 'package.json'))
  const target = manifest.exports[rest.length === 0 ? '.' : `./${rest.join('/')}`]
  if (typeof target !== 'string') throw new Error(`${specifier} is not exported by ${folder}.`)
  return join(folder, target)
}

function rewritten(specifier, path) {
  if (specifier.startsWith('.')) return asJs(specifier)
  if (!FOLDERS.has(specifier.split('/').slice(0, 2).join('/'))) return specifier
  const to = relative(dirname(path), fileOf(specifier))
  return asJs(to.startsWith('.') ? to : `./${to}`)
}

/** A module for Node alone: without types, every import by the name of a file or of a library. `path`: from the root. */
function compiled(path) {
  const source = readFileSync(join(ROOT, path), 'utf8')
  let code = path.endsWith('.ts') ? stripTypeScriptTypes(source, { mode: 'strip' }) : source
  // From the last on, so that the positions of those before it hold.
  for (const { fileName, pos } of ts.preProcessFile(code, true, true).importedFiles.toSorted((one, other) => other.pos - one.pos)) {
    const at = code.indexOf(fileName, pos)
    code = `${code.slice(0, at)}${rewritten(fileName, path)}${code.slice(at + fileName.length)}`
  }
  return code.replace(/(new URL\('\.[^']*)\.ts(', import\.meta\.url\))/g, '$1.js$2')
}

const put = (out, path, content) => {
  mkdirSync(dirname(join(out, path)), { recursive: true })
  writeFileSync(join(out, path), content)
}

/** The files of a folder that belong to the runtime. A recursive `readdir` would follow the links of pnpm, round and round. */
export function filesIn(folder, name = '') {
  if (LEFT_OUT.test(name)) return []
  const path = join(ROOT, folder, name)
  if (!statSync(path).isDirectory()) return [name]
  return readdirSync(path).flatMap((inside) => filesIn(folder, join(name, inside)))
}

function copyFolder(out, folder) {
  for (const name of filesIn(folder)) {
    const path = join(folder, name)
    if (name === 'package.json') put(out, path, `${JSON.stringify({ version: readJson(join(ROOT, path)).version, type: 'module' })}\n`)
    else if (name.endsWith('.ts')) put(out, asJs(path), compiled(path))
    else cpSync(join(ROOT, path), join(out, path))
  }
}

const START = `#!/usr/bin/env node
// Readable by every Node.js: one that is too old says so.
var major = Number(process.versions.node.split('.')[0])
if (major < ${OLDEST_NODE}) {
  process.stderr.write('Tidings needs Node.js ${OLDEST_NODE} or later; this is ' + process.versions.node + '.\\n')
  process.exit(1)
} else import('../packages/cli/bin/tidings.mjs')
`

function main([out, version]) {
  if (out === undefined || existsSync(out))
    throw new Error('Usage: node deploy/build-npm-package.mjs OUT [VERSION], OUT being a folder that is not there.')
  const { name, version: current, description, license } = readJson(join(ROOT, 'package.json'))
  const folders = folderClosure()
  for (const folder of folders) copyFolder(out, folder)
  for (const file of BIN) put(out, `${ENTRY}/bin/${file}`, compiled(`${ENTRY}/bin/${file}`))
  cpSync(join(ROOT, 'deploy/migrations'), join(out, 'deploy/migrations'), { recursive: true })
  // Authors of projection files install it from there: `tidings projection new` says so.
  writeAnalystPackage(join(out, 'analyst'), version)
  cpSync(join(ROOT, 'deploy/npm-package.README.md'), join(out, 'README.md'))
  cpSync(join(ROOT, 'docs'), join(out, 'docs'), { recursive: true, filter: (file) => !file.endsWith('.ts') })
  execFileSync(process.execPath, [join(ROOT, 'dashboard/build.mjs'), '--fixed', join(out, 'pages')], { stdio: 'inherit' })
  put(out, 'bin/tidings.cjs', START)
  const manifest = {
    ...{ name, version: version ?? current, description, license, type: 'module' },
    bin: { tidings: 'bin/tidings.cjs' },
    engines: { node: `>=${OLDEST_NODE}` },
    os: ['linux', 'darwin'],
    ...librariesOf(folders),
  }
  put(out, 'package.json', `${JSON.stringify(manifest, null, 2)}\n`)
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === import.meta.filename) main(process.argv.slice(2))
