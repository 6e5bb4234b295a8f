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
/** What the pages of the dashboard are made of and with. */
const PAGES = ['--filter-prod', '@tidings/dashboard...']

/** Which packages belong to the tree as it is now. */
const wanted = () => {
  const hash = createHash('sha256')
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml']) hash.update(readFileSync(join(ROOT, file)))
  return hash.digest('hex')
}

/** What the last installation here has brought, and of which packages: `all`, `with-pages`, `runtime`, or `without-pages` where those failed. */
const installed = () => (existsSync(MARK) ? readFileSync(MARK, 'utf8').trim().split(' ') : [])

function install(args) {
  const all = ['--yes', '--prefer-offline', PNPM, 'install', '--frozen-lockfile', '--prefer-offline', ...args]
  return spawnSync('npx', all, { cwd: ROOT, stdio: ['inherit', 2, 2], shell: process.platform === 'win32' }).status ?? 1
}

/** What the installation has brought; null where it failed. The service runs without what its pages are made of. */
function bring({ all, pages }) {
  if (all) return install([]) === 0 ? 'all' : null
  if (pages && install([...RUNTIME, ...PAGES]) === 0) return 'with-pages'
  if (pages)
    process.stderr.write(
      'What the dashboard is made of could not be installed: the service starts without its pages. `node packages/cli/bin/install.mjs pages` tries again.\n',
    )
  if (install(RUNTIME) !== 0) return null
  return pages ? 'without-pages' : 'runtime'
}

const [scope, packages] = installed()
const asked = new Set(process.argv.slice(2))
// An installation of the runtime alone would remove the rest.
const all = asked.has('all') || scope === 'all' || existsSync(join(ROOT, 'node_modules/vitest'))
const pages = process.env.TIDINGS_DASHBOARD !== '0' || scope === 'with-pages'
/** What has failed for these packages is not tried with each start, which would wait for a registry each time. */
const isEnough = () => {
  if (packages !== wanted() || (asked.has('pages') && scope === 'without-pages')) return false
  return all ? scope === 'all' : scope !== 'runtime' || !pages
}
if (!isEnough()) {
  const brought = bring({ all, pages })
  if (brought === null) process.exit(1)
  mkdirSync(dirname(MARK), { recursive: true })
  writeFileSync(MARK, `${brought} ${wanted()}\n`)
}
