import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { databaseFault } from '../database-fault.ts'
import { askServer } from './adopt.ts'
import { dataDir, prepareDataDir, serverPassword } from './data-dir.ts'
import { noteUse } from './end-own-servers.ts'
import { fullDisk } from './full-disk.ts'
import { joinServer, standBy } from './join-server.ts'
import { shutDown } from './launch.ts'
import { type Lock, lock, ownerOf, tryLock } from './lock.ts'
import { becomeMember, hasMembers, isMember, type Members } from './members.ts'
import { type Cluster, type OwnedServer, ownServer } from './owned-server.ts'
import { readPostmaster } from './postmaster-pid.ts'
import type { ServerLog } from './supervise.ts'

/**
 * `whole`: a process that serves everything, of which there is one. `part`: one of several that share the server. `command`: no service;
 * it owns the server for its call, where none runs.
 */
type EmbeddedUse = 'whole' | 'part' | 'command'

/** `buffersMb`: what the server keeps for pages, by default by the memory of the machine. */
export type EmbeddedSettings = Readonly<{ dataDir: string; log: ServerLog; use?: EmbeddedUse; buffersMb?: number | null }>

export type Embedded = Readonly<{
  url: string
  /** Whether another process serves the same data directory. */
  others: () => Promise<boolean>
  /** Why the server does not answer, where its disk says it; null otherwise. */
  serverFault: () => Promise<Error | null>
  /** Ends the server, within 10 s, unless another process serves the data directory: that one looks after it then. */
  stop: () => Promise<void>
}>

/**
 * The Postgres 18 of a data directory: created on the first start, adopted when a killed Tidings left it running, started again when it
 * dies. Commits are durable. One process owns it; others join, and one of them becomes the owner when the owner has ended, in any way. The
 * last process to leave ends it. Rejects with one sentence when the directory cannot be shared or written, or Postgres does not start.
 */
export async function startEmbedded({ use = 'whole', buffersMb = null, ...settings }: EmbeddedSettings): Promise<Embedded> {
  const paths = dataDir(resolve(settings.dataDir))
  await prepareDataDir(paths.root)
  const members = use === 'command' ? outsider(paths.membersDir) : await becomeMember(paths, use === 'whole')
  const endUse = noteUse({ paths, members })
  try {
    const cluster = { paths, password: await serverPassword(paths), buffersMb, log: settings.log }
    const own = await ownServer(cluster)
    if (own === null) await assertShared(cluster, use)
    const { url, owned } = own === null ? await joinServer(cluster) : { url: own.url, owned: own }
    const waiting = owned === null ? standBy(cluster) : null
    const stop = async () => {
      await leave(cluster, members, owned ?? (await waiting?.stop()) ?? null)
      endUse()
    }
    return { url, others: members.others, serverFault: () => fullDisk(paths.root), stop }
  } catch (error) {
    endUse()
    await members.leave()
    throw error
  }
}

/** A command takes part in nothing. */
const outsider = (membersDir: string): Members => ({ leave: async () => undefined, others: () => hasMembers(membersDir) })

const NO_ANSWER = 'Tidings runs or is starting, and its Postgres does not answer yet, on'

/** A command does not wait for a server, and a whole service shares it with parts only. */
async function assertShared({ paths }: Cluster, use: EmbeddedUse): Promise<void> {
  const holder = use === 'whole' ? await ownerOf(paths.lockFile) : null
  if (use === 'part' || (holder !== null && (await isMember(paths.membersDir, holder)))) return
  // Throws its sentence, unless the owner has ended by now: then the next one to ask owns the server.
  const owned = use === 'whole' ? await lock(paths.lockFile) : await tryLock(paths.lockFile)
  if (owned === null) throw new Error(`${NO_ANSWER} ${paths.root}: see its log, and try again`, { cause: await fullDisk(paths.root) })
  await owned.release()
}

/** The order matters: if two leave at once, the second ends the server. */
async function leave({ paths, log }: Cluster, members: Members, owned: OwnedServer | null): Promise<void> {
  await members.leave()
  await owned?.release()
  let taken: Lock | null = owned?.lock ?? null
  while (await members.others()) {
    if (taken === null) return
    log.info('The embedded Postgres stays for the other processes of this data directory.')
    await taken.release()
    taken = null
  }
  taken ??= await tryLock(paths.lockFile)
  if (taken === null) return
  const server = await readPostmaster(paths.clusterDir)
  if (server !== null) await shutDown(paths.clusterDir, server.pid)
  await taken.release()
}

/**
 * The address of the server that runs on a data directory now, for a command beside the service; null when none does. Throws what the server
 * says where it lacks disk, memory or connections: a command that went on would only find that another process owns the directory.
 */
export async function findRunning(directory: string): Promise<string | null> {
  const paths = dataDir(resolve(directory))
  const password = await readFile(paths.passwordFile, 'utf8').catch(() => null)
  if (password === null) return null
  const asked = await askServer(paths.clusterDir, password.trim())
  if (asked === null) return null
  if (databaseFault(asked.refusal) !== null) throw asked.refusal
  return asked.refusal === null ? asked.server.url : null
}
