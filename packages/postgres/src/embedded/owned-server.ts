import { readFile, writeFile } from 'node:fs/promises'
import { adopt } from './adopt.ts'
import { type RunningCluster, startCluster } from './cluster.ts'
import type { DataDir } from './data-dir.ts'
import { type Lock, tryLock } from './lock.ts'
import { type ServerLog, supervise } from './supervise.ts'

/** The server of a data directory, looked after by this process. `release` stops looking after it, and leaves it running. */
export type OwnedServer = Readonly<{ url: string; lock: Lock; release: () => Promise<void> }>

export type Cluster = Readonly<{ places: DataDir; password: string; log: ServerLog }>

/** Takes the server over: adopts the one that runs, or starts it. Null when another living process owns it. */
export async function ownServer({ places, password, log }: Cluster): Promise<OwnedServer | null> {
  const lock = await tryLock(places.lockFile)
  if (lock === null) return null
  try {
    const server = await adoptOrStart({ places, password, log })
    const restart = async () => (await start(places, password, server.port)).pid
    const watcher = supervise({ clusterDir: places.clusterDir, pid: server.pid, restart, log })
    const release = async () => {
      await watcher.stop()
    }
    return { url: server.url, lock, release }
  } catch (error) {
    await lock.release()
    throw error
  }
}

async function adoptOrStart({ places, password, log }: Cluster): Promise<{ pid: number; port: number; url: string }> {
  const found = await adopt(places.clusterDir, password)
  if (found !== null) {
    log.info(`Found the embedded Postgres still running (process ${found.pid}).`)
    return found
  }
  const remembered = Number(await readFile(places.portFile, 'utf8').catch(() => 'NaN'))
  const started = await start(places, password, Number.isInteger(remembered) ? remembered : null)
  if (started.endpoint.socketDir === null) await writeFile(places.portFile, String(started.endpoint.port), { mode: 0o600 })
  return { pid: started.pid, port: started.endpoint.port, url: started.url }
}

function start(places: DataDir, password: string, port: number | null): Promise<RunningCluster> {
  return startCluster({ clusterDir: places.clusterDir, logFile: places.logFile, password, durable: true, port })
}
