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
const BIG = { maxBuffer: 64 * 1024 * 1024 }

/** The version before this one, in a folder of its own. `name`: what it says of itself, or its commit. */
export type Before = Readonly<{ name: string; command: (args: readonly string[]) => readonly string[]; remove: () => Promise<void> }>

const git = async (...args: readonly string[]): Promise<string> => (await run('git', args, { cwd: ROOT, ...BIG })).stdout.trim()

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

/** Lays the version before out from the history. Where a clone has none, it is this commit under another version. */
export async function layOutBefore(): Promise<Before> {
  const commit = await commitBefore()
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
  return {
    name: commit ?? '0.0.1',
    command: (args) => [process.execPath, join(folder, 'packages/cli/bin/tidings.mjs'), ...args],
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
