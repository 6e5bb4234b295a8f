import { readFile, writeFile } from 'node:fs/promises'
import { adopt } from './adopt.ts'
import { type RunningCluster, startCluster } from './cluster.ts'
import type { DataDir } from './data-dir.ts'
import { type Lock, tryLock } from './lock.ts'
import { type ServerLog, supervise } from './supervise.ts'

/** The server of a data directory, looked after by this process. `release` stops looking after it, and leaves it running. */
export type OwnedServer = Readonly<{ url: string; lock: Lock; release: () => Promise<void> }>

/** `buffersMb`: null: by the memory of the machine. */
export type Cluster = Readonly<{ paths: DataDir; password: string; buffersMb: number | null; log: ServerLog }>

/** Takes the server over: adopts the one that runs, or starts it. Null when another living process owns it. */
export async function ownServer(cluster: Cluster): Promise<OwnedServer | null> {
  const { paths, log } = cluster
  const lock = await tryLock(paths.lockFile)
  if (lock === null) return null
  try {
    const server = await adoptOrStart(cluster)
    const restart = async () => (await start(cluster, server.port)).pid
    const watcher = supervise({ clusterDir: paths.clusterDir, pid: server.pid, restart, log })
    const release = async () => {
      await watcher.stop()
    }
    return { url: server.url, lock, release }
  } catch (error) {
    await lock.release()
    throw error
  }
}

async function adoptOrStart(cluster: Cluster): Promise<{ pid: number; port: number; url: string }> {
  const { paths, password, log } = cluster
  const found = await adopt(paths.clusterDir, password)
  if (found !== null) {
    log.info(`Found the embedded Postgres still running (process ${found.pid}).`)
    return found
  }
  const remembered = Number(await readFile(paths.portFile, 'utf8').catch(() => 'NaN'))
  const started = await start(cluster, Number.isInteger(remembered) ? remembered : null)
  if (started.endpoint.socketDir === null) await writeFile(paths.portFile, String(started.endpoint.port), { mode: 0o600 })
  return { pid: started.pid, port: started.endpoint.port, url: started.url }
}

function start({ paths, password, buffersMb, log }: Cluster, port: number | null): Promise<RunningCluster> {
  const { clusterDir, logFile } = paths
  return startCluster({ clusterDir, logFile, password, port, buffersMb, warn: (message) => log.warn(message) })
}
