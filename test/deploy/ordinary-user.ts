import { copyFile, mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { leftOut } from '@tidings/testing'
import { ROOT, run } from './tools.ts'

/** A clone of this tree in the home of an account that owns nothing else. `as` begins a command that the account runs in its clone. */
export type OrdinaryUser = Readonly<{ clone: string; uid: number; as: readonly string[]; remove: () => Promise<void> }>

/** A folder on the disk of most checkouts that is open to every account. */
const HOMES = '/var/tmp'
const MARK = 'node_modules/.cache/tidings/installed'
const PROGRAMS = ['useradd', 'userdel', 'setpriv']

/** For `describe.runIf`: false where this process cannot become an ordinary user, or is one, so that the whole run is that of one. */
export async function canBeOrdinary(): Promise<boolean> {
  if (process.getuid?.() !== 0) return leftOut('ordinary-user', 'the whole run is that of an ordinary user already.')
  const missing = await run('sh', ['-c', `for p in ${PROGRAMS.join(' ')}; do command -v $p >/dev/null || echo $p; done`])
  return missing === '' || leftOut('ordinary-user', `this machine has no ${missing.trim().split('\n').join(', ')}.`)
}

/** Makes an account, and gives it what a clone of the tree has, with the packages that are installed here: they are linked, and stay root's. */
export async function createOrdinaryUser(): Promise<OrdinaryUser> {
  // What `npm test` does first: it leaves the mark by which a start knows that all is installed.
  await run('node', ['packages/cli/bin/install.mjs', 'all'])
  const home = await mkdtemp(join(HOMES, 'tidings-user-'))
  const name = `t-${home.slice(-6).toLowerCase()}`
  await run('useradd', ['--no-create-home', '--home-dir', home, '--shell', '/bin/sh', name])
  const remove = async (): Promise<void> => {
    await run('userdel', [name])
    await rm(home, { recursive: true, force: true })
  }
  try {
    const clone = join(home, 'tidings')
    await cloneInto(clone)
    await run('sh', ['-c', 'chown -R "$1:" "$2" && chmod 755 "$2"', '-', name, home])
    await linkPackages(clone)
    // Folders have no links: these are the clone's own. What is in them stays root's.
    await run('sh', ['-c', 'chown "$1:" "$2" "$2"/.[a-z]*/ && chown -R "$1:" "$2"/.cache', '-', name, join(clone, 'node_modules')])
    const { uid, gid } = await stat(home)
    const identity = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--no-new-privs']
    const environment = ['env', '-i', `--chdir=${clone}`, `HOME=${home}`, `PATH=${pathOfUser()}`, `USER=${name}`, 'LC_ALL=C.UTF-8']
    return { clone, uid, as: [...identity, ...environment], remove }
  } catch (error) {
    await remove()
    throw error
  }
}

/** The path without the programs of this tree's packages: the clone has its own. */
const pathOfUser = (): string =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .join(delimiter)

/** What the next commit of this tree would have. */
const cloneInto = async (clone: string): Promise<void> => {
  await mkdir(clone)
  const files =
    'git ls-files -z --cached --others --exclude-standard | tar --null --ignore-failed-read -T - -cf - 2>/dev/null | tar -xf - -C "$1"'
  await run('sh', ['-c', files, '-', clone])
}

const linkPackages = async (clone: string): Promise<void> => {
  const folders = 'find . -maxdepth 3 -name node_modules -type d -prune'
  // Another file system has no links to them: then they are copied.
  const link = `for f in $(${folders}); do cp -a --link "$f" "$1/$f" 2>/dev/null || cp -a "$f" "$1/$(dirname "$f")/"; done`
  await run('sh', ['-c', link, '-', clone])
  await rm(join(clone, 'node_modules/.cache'), { recursive: true, force: true })
  await mkdir(join(clone, 'node_modules/.cache/tidings'), { recursive: true })
  await copyFile(join(ROOT, MARK), join(clone, MARK))
}
