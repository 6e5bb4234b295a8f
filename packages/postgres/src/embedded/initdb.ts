import { once } from 'node:events'
import { chown, mkdtemp, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Binaries } from './binaries.ts'
import type { Identity } from './identity.ts'
import { run } from './spawn.ts'

/** `initdbArguments`: beside those that every embedded server has. */
export type NewCluster = Readonly<{
  clusterDir: string
  binaries: Binaries
  identity: Identity
  password: string
  initdbArguments?: readonly string[]
}>

/** The role and the database that an embedded server has. */
export const ROLE = 'tidings'

/** The initdb of a start that was killed goes on writing until it misses what is removed: within 10 s it has ended. */
const LEFT = { recursive: true, force: true, maxRetries: 20, retryDelay: 50 } as const

/**
 * Makes a cluster at `clusterDir`: UTF-8, the built-in C.UTF-8 locale (bytes decide the order on every machine), page
 * checksums. It is built beside its place and renamed, so that an interrupted first start leaves nothing half made;
 * what one left beside it is removed. Only one process at a time may do this.
 */
export async function initialise(cluster: NewCluster): Promise<void> {
  const [folder, prefix] = [dirname(cluster.clusterDir), `${basename(cluster.clusterDir)}-initdb-`]
  const left = (await readdir(folder)).filter((name) => name.startsWith(prefix))
  await Promise.all(left.map((name) => rm(join(folder, name), LEFT)))
  const draft = await mkdtemp(join(folder, prefix))
  try {
    await writeFile(join(draft, 'password'), cluster.password, { mode: 0o600 })
    await giveTo(cluster.identity, [join(draft, 'password'), draft])
    await runInitdb(cluster, draft)
    await rename(join(draft, 'cluster'), cluster.clusterDir)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

async function runInitdb(cluster: NewCluster, draft: string): Promise<void> {
  const folder = await open(draft, 'r')
  const log = await open(join(draft, 'log'), 'a+')
  try {
    const child = run({
      program: cluster.binaries.initdb,
      args: (at) => [
        ...['-D', `${at}/cluster`, '--pwfile', `${at}/password`, '--username', ROLE, '--auth', 'scram-sha-256', '--encoding', 'UTF8'],
        // 256 random bits cannot be guessed, and stretching them would cost each connection 2 ms. Passwords that people choose are stretched (`settings.ts`).
        ...['-c', 'scram_iterations=1'],
        ...['--locale', 'C', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'],
        ...(cluster.initdbArguments ?? []),
      ],
      identity: cluster.identity,
      folder: { path: draft, fd: folder.fd },
      log: log.fd,
    })
    const [code] = await once(child, 'exit')
    if (code !== 0) throw new Error(`Postgres could not create its data directory: ${await lastLine(join(draft, 'log'))}`)
  } finally {
    await Promise.all([folder.close(), log.close()])
  }
}

async function giveTo(identity: Identity, paths: readonly string[]): Promise<void> {
  if (!identity.switched) return
  for (const path of paths) await chown(path, identity.uid >>> 0, identity.gid >>> 0)
}

/** The line of a Postgres log that says why: the last that ended a process, else the last error, else the last line. */
export async function lastLine(path: string): Promise<string> {
  const lines = (await readFile(path, 'utf8').catch(() => '')).trimEnd().split('\n')
  const last = (pattern: RegExp): string | undefined => lines.findLast((line) => pattern.test(line))
  // The hint behind a fatal line speaks of errors too.
  const said = last(/(FATAL|PANIC):/) ?? last(/(error|could not|cannot)/) ?? lines.at(-1) ?? ''
  return said.replace(/^.*?(FATAL|PANIC|error):\s*/, '').trim() || 'it said nothing'
}
