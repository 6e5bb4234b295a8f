import { hostname } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { pause } from '@tidings/async'
import { findServer } from './adopt.ts'
import { isLocked, ownerOf } from './lock.ts'
import { type Cluster, type OwnedServer, ownServer } from './owned-server.ts'

const POLL_MS = 250
const POLLS_A_WARNING = 40
const WAITING = 'The process that owns the embedded Postgres has not started it yet; waiting for it.'
const CHECK_OWNER_MS = 1_000

/** Waits for the server that another process owns, or owns it when that one ends meanwhile. */
export async function joinServer(cluster: Cluster): Promise<Readonly<{ url: string; owned: OwnedServer | null }>> {
  const { paths, password, log } = cluster
  for (let waits = 0; ; waits++) {
    const found = await findServer(paths.clusterDir, password)
    if (found !== null) return { url: found.url, owned: null }
    await assertSameHost(paths.lockFile)
    if (waits % POLLS_A_WARNING === POLLS_A_WARNING - 1) log.warn(WAITING)
    await setTimeout(POLL_MS)
    const owned = await ownServer(cluster)
    if (owned !== null) return { url: owned.url, owned }
  }
}

/** Process ids and sockets of another host (another container) say nothing here. */
async function assertSameHost(lockFile: string): Promise<void> {
  const host = (await ownerOf(lockFile))?.split(' ')[0]
  if (host === undefined || host === hostname()) return
  throw new Error(`The embedded Postgres runs on another host (${host}): start roles there, or set TIDINGS_DATABASE_URL for all of them.`)
}

export type StandBy = Readonly<{ stop: () => Promise<OwnedServer | null> }>

/** Takes over the server as soon as its owner has ended. `stop` resolves with what this process owns by then. */
export function standBy(cluster: Cluster): StandBy {
  const stopping = new AbortController()
  const watching = watch(cluster, stopping.signal)
  return {
    stop: () => {
      stopping.abort()
      return watching
    },
  }
}

async function watch(cluster: Cluster, signal: AbortSignal): Promise<OwnedServer | null> {
  while (!signal.aborted) {
    await pause(CHECK_OWNER_MS, signal, { ref: false })
    if (signal.aborted || (await isLocked(cluster.paths.lockFile))) continue
    const owned = await ownServer(cluster).catch((error: unknown) => {
      cluster.log.error(error instanceof Error ? error.message : String(error))
      return null
    })
    if (owned === null) continue
    cluster.log.info('The owner of the embedded Postgres has ended: this process looks after it now.')
    return owned
  }
  return null
}
