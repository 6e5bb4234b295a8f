// Installs what `npm start` runs on; with `all`, what tests and checks need as well. Runs on the Node.js that the machine has, 18 or later.
// What is there already for this lock file is left as it is, without asking a registry: a start works offline, and waits for nothing.
// What pnpm says goes to stderr: the stdout of a start has the lines of its log.
// Where something is missing, npx takes pnpm from its cache too: offline it asks the registry for its newest version for 72 s otherwise.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PNPM = 'pnpm@12.21.0'
const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../../..')
const MARK = join(ROOT, 'node_modules/.cache/tidings/installed')

/** The root names the pinned Node.js, the command line all that runs. */
const RUNTIME = ['--prod', '--filter', '.', '--filter-prod', '@tidings/cli...']

/** Which packages belong to the tree as it is now. */
const wanted = () => {
  const hash = createHash('sha256')
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml']) hash.update(readFileSync(join(ROOT, file)))
  return hash.digest('hex')
}

/** What the last installation here has brought: `[ 'all' or 'runtime', of which packages ]`. */
const installed = () => (existsSync(MARK) ? readFileSync(MARK, 'utf8').trim().split(' ') : [])

const [scope, packages] = installed()
// An installation of the runtime alone would remove the rest.
const all = process.argv.includes('all') || scope === 'all' || existsSync(join(ROOT, 'node_modules/vitest'))
const next = all ? 'all' : 'runtime'
if (scope !== next || packages !== wanted()) {
  const args = ['--yes', '--prefer-offline', PNPM, 'install', '--frozen-lockfile', '--prefer-offline', ...(all ? [] : RUNTIME)]
  const { status } = spawnSync('npx', args, { cwd: ROOT, stdio: ['inherit', 2, 2], shell: process.platform === 'win32' })
  if (status !== 0) process.exit(status ?? 1)
  mkdirSync(dirname(MARK), { recursive: true })
  writeFileSync(MARK, `${next} ${wanted()}\n`)
}
