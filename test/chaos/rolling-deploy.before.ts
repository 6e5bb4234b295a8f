import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const MIGRATIONS = 'deploy/migrations'
const SETTINGS = 'docs/reference/configuration.md'
const BIG = { maxBuffer: 64 * 1024 * 1024 }

/** The version before this one, in a folder of its own. `name`: what it says of itself, or its commit. */
export type Before = Readonly<{ name: string; command: (args: readonly string[]) => readonly string[]; remove: () => Promise<void> }>

const git = async (...args: readonly string[]): Promise<string> => (await run('git', args, { cwd: ROOT, ...BIG })).stdout.trim()

const commitNamed = async (name: string): Promise<string> => {
  const commit = await git('rev-parse', '--verify', '--quiet', `${name}^{commit}`).catch(() => '')
  if (commit === '')
    throw new Error(`CHAOS_BEFORE names ${name}, which this clone does not have. Fetch it, or the whole history (git fetch --unshallow).`)
  return commit
}

const settingsOf = async (tree: string): Promise<ReadonlySet<string>> =>
  new Set([...(await readFile(join(tree, SETTINGS), 'utf8')).matchAll(/^\| `(TIDINGS_[A-Z_]+)`/gm)].map(([, name = '']) => name))

/** A version does not start with a setting that it does not know. */
const withoutNewSettings = async (folder: string): Promise<readonly string[]> => {
  const [own, its] = await Promise.all([settingsOf(ROOT), settingsOf(folder)])
  return ['env', ...[...own].filter((name) => !its.has(name)).flatMap((name) => ['-u', name])]
}

/** The commit before the one that added the newest migration: its schema is older. Null where the clone has no history. */
const commitBefore = async (): Promise<string | null> => {
  const newest = (await readdir(join(ROOT, MIGRATIONS))).toSorted().at(-1)
  const added = await git('log', '--diff-filter=A', '-1', '--format=%H', '--', `${MIGRATIONS}/${newest}`).catch(() => '')
  return added === '' ? null : await git('rev-parse', '--verify', '--quiet', `${added}^`).catch(() => null)
}

/** The libraries are those of this version: it must not have dropped one that the older version needs. */
const linkLibraries = async (folder: string): Promise<void> => {
  await mkdir(join(folder, 'node_modules'))
  for (const name of await readdir(join(ROOT, 'node_modules')))
    if (name !== '.cache') await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name))
  const parts = ['command-api', 'query-api', 'dashboard-api', 'projectors', 'consumers', 'domain']
  const packages = (await readdir(join(ROOT, 'packages'))).map((name) => `packages/${name}`)
  for (const part of [...parts, ...packages]) {
    const libraries = join(ROOT, part, 'node_modules')
    if (existsSync(libraries) && existsSync(join(folder, part)))
      await cp(libraries, join(folder, part, 'node_modules'), { recursive: true, verbatimSymlinks: true })
  }
}

/** Lays the version before out from the history: the commit that is `named`, or the one before the newest migration. Where a clone has no history, it is this commit under another version. */
export async function layOutBefore(named: string | undefined): Promise<Before> {
  const commit = named === undefined ? await commitBefore() : await commitNamed(named)
  if (commit === null)
    console.log('this clone has no commit before the newest migration, so the version before is this one under the number 0.0.1')
  const folder = await mkdtemp(join(tmpdir(), `tidings-test-${process.pid}-`))
  const archive = join(folder, 'tree.tar')
  await git('archive', '--output', archive, commit ?? 'HEAD')
  await run('tar', ['-xf', archive, '-C', folder])
  await rm(archive)
  await linkLibraries(folder)
  if (commit === null) {
    const file = join(folder, 'packages/service/package.json')
    await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), version: '0.0.1' }))
  }
  const withoutNew = await withoutNewSettings(folder)
  return {
    name: commit ?? '0.0.1',
    command: (args) => [...withoutNew, process.execPath, join(folder, 'packages/cli/bin/tidings.mjs'), ...args],
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
