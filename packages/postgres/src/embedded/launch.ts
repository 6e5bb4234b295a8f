import { open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Binaries } from './binaries.ts'
import { type Endpoint, listenArguments } from './endpoint.ts'
import { fullDisk } from './full-disk.ts'
import type { Identity } from './identity.ts'
import { lastLine } from './initdb.ts'
import { isAlive, isServerOf, readPostmaster } from './postmaster-pid.ts'
import { type Settings, SMALL_BUFFERS_MB, settingArguments } from './settings.ts'
import { run } from './spawn.ts'

/** `buffersMb`: the memory for pages. `settings`: of Postgres, in place of those that an embedded server has. */
export type Launch = Readonly<{
  clusterDir: string
  logFile: string
  binaries: Binaries
  identity: Identity
  endpoint: Endpoint
  buffersMb: number
  settings?: Settings
  warn: (message: string) => void
}>

const POLL_MS = 10
/** Backends of a killed server end with the statement they are in; until then a new one must not open their files. */
const ORPHANED_BACKENDS_MS = 30_000

/**
 * Starts the server and resolves with its process id when it takes connections, crash recovery included, however long that is. Where
 * `buffersMb` cannot be mapped, it starts with 128 MB, and warns.
 */
export async function launch(what: Launch): Promise<number> {
  const deadline = Date.now() + ORPHANED_BACKENDS_MS
  let { buffersMb } = what
  for (;;) {
    const failure = await launchOnce({ ...what, buffersMb })
    if (typeof failure === 'number') return failure
    if (UNMAPPED.test(failure) && buffersMb > SMALL_BUFFERS_MB) {
      what.warn(
        `The embedded Postgres starts with ${SMALL_BUFFERS_MB} MB for pages, because ${buffersMb} MB cannot be had (${failure}): allow it more memory, or set TIDINGS_EMBEDDED_BUFFERS_MB to what it can have.`,
      )
      buffersMb = SMALL_BUFFERS_MB
      continue
    }
    if (!(failure === ORPHANS || HALF_MADE.test(failure)) || Date.now() > deadline) {
      const full = await fullDisk(what.clusterDir)
      throw new Error(`Postgres did not start: ${full?.message ?? failure}`, { cause: full })
    }
    await setTimeout(POLL_MS * 10)
  }
}

/** A replica never says that it is ready. */
const TAKES_READS: ReadonlySet<string> = new Set(['ready', 'standby'])

/** The process id, or why it ended. */
async function launchOnce(what: Launch): Promise<number | string> {
  await clearStaleLocks(what.clusterDir)
  const folder = await open(what.clusterDir, 'r')
  const log = await open(what.logFile, 'w', 0o600)
  try {
    const child = run({
      program: what.binaries.postgres,
      args: (at) => ['-D', at, ...listenArguments(what.endpoint), ...settingArguments(what)],
      identity: what.identity,
      folder: { path: what.clusterDir, fd: folder.fd },
      log: log.fd,
    })
    let failed: Error | undefined
    child.once('error', (error) => {
      failed = error
    })
    child.unref()
    while (child.exitCode === null && child.signalCode === null && failed === undefined) {
      const found = await readPostmaster(what.clusterDir)
      if (found !== null && TAKES_READS.has(found.status) && found.pid === child.pid) return found.pid
      await setTimeout(POLL_MS)
    }
    return failed?.message ?? (await whyItEnded(what.logFile))
  } finally {
    await Promise.all([folder.close(), log.close()])
  }
}

const ORPHANS = 'backends of the killed server still run'
/**
 * A backend whose server was killed while it made a table that is not logged removes the one of its files that says so, and leaves the other to a
 * checkpoint that never comes. The recovery makes the first again and ends at the second, which the next recovery removes.
 */
const HALF_MADE = /could not create file ".*": File exists/
/** A bound of the address space (`ulimit -v`, systemd's LimitAS), or memory that may not be promised (vm.overcommit_memory=2). */
const UNMAPPED = /could not map anonymous shared memory: .*/

/** Those backends write into the same log as they end, behind the new server's reason: the last line may be theirs. */
async function whyItEnded(logFile: string): Promise<string> {
  const log = await readFile(logFile, 'utf8').catch(() => '')
  return log.includes('shared memory block') ? ORPHANS : (UNMAPPED.exec(log)?.[0] ?? lastLine(logFile))
}

/** How to ask: `SIGINT` ends sessions and flushes, `SIGQUIT` leaves recovery to the next start, `SIGKILL` cannot be refused. */
const SIGNALS = [
  ['SIGINT', 6_000],
  ['SIGQUIT', 2_000],
  ['SIGKILL', 2_000],
] as const
const FIRST = { fast: 0, immediate: 1, kill: 2 } as const

/** Ends the server of a cluster and resolves when it is gone: within 10 s, by force in the end; `how` is the signal to begin with. */
export async function shutDown(clusterDir: string, pid: number, how: keyof typeof FIRST = 'fast'): Promise<void> {
  for (const [signal, timeoutMs] of SIGNALS.slice(FIRST[how])) {
    const deadline = Date.now() + timeoutMs
    if (!(await isServerOf(pid, clusterDir))) return
    process.kill(pid, signal)
    while (Date.now() < deadline) {
      if (!(await isServerOf(pid, clusterDir))) return
      await setTimeout(POLL_MS)
    }
  }
}

/** `kill -9` for whatever server runs on a cluster; nothing when none does. */
export async function endServerOf(clusterDir: string): Promise<void> {
  const found = await readPostmaster(clusterDir)
  if (found !== null) await shutDown(clusterDir, found.pid, 'kill')
}

/**
 * Clears the lock files of a server that was killed, when their process id was reused, or belongs to a zombie whose parent
 * has not collected it: either would keep Postgres from starting. Postgres itself clears an id without a process. Backends that outlived
 * their server are no danger: a new server finds their shared memory by the folder's inode, not by these files, and refuses to start.
 */
async function clearStaleLocks(clusterDir: string): Promise<void> {
  const left = await readPostmaster(clusterDir)
  if (left === null || !isAlive(left.pid) || (await isServerOf(left.pid, clusterDir))) return
  const locks = ['postmaster.pid', `.s.PGSQL.${left.port}.lock`]
  await Promise.all(locks.map((name) => rm(join(clusterDir, name), { force: true })))
}
