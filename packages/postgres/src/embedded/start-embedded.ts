import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { adopt, findServer } from './adopt.ts'
import { type RunningCluster, startCluster } from './cluster.ts'
import { type DataDir, dataDir, prepareDataDir, serverPassword } from './data-dir.ts'
import { shutDown } from './launch.ts'
import { lock } from './lock.ts'
import { type ServerLog, supervise } from './supervise.ts'

export type EmbeddedSettings = Readonly<{ dataDir: string; log: ServerLog }>
export type Embedded = Readonly<{ url: string; stop: () => Promise<void> }>

/**
 * The Postgres 18 of a data directory, owned by this process until `stop`: created on the first start, adopted when a killed
 * Tidings left it running, started again when it dies. Commits are durable. `stop` is a fast shutdown and takes at most 10 s.
 * Rejects with one sentence when another Tidings has the directory, it cannot be written, or Postgres does not start.
 */
export async function startEmbedded(settings: EmbeddedSettings): Promise<Embedded> {
  const places = dataDir(resolve(settings.dataDir))
  await prepareDataDir(places.root)
  const held = await lock(places.lockFile)
  try {
    const password = await serverPassword(places.passwordFile)
    const server = await adoptOrStart(places, password, settings.log)
    const restart = async () => (await start(places, password, server.port)).pid
    const watcher = supervise({ clusterDir: places.clusterDir, pid: server.pid, restart, log: settings.log })
    const stop = async () => {
      await shutDown(places.clusterDir, await watcher.stop())
      await held.release()
    }
    return { url: server.url, stop }
  } catch (error) {
    await held.release()
    throw error
  }
}

/** The address of the server that runs on a data directory now, for a command beside the service; null when none does. */
export async function findRunning(directory: string): Promise<string | null> {
  const places = dataDir(resolve(directory))
  const password = await readFile(places.passwordFile, 'utf8').catch(() => null)
  if (password === null) return null
  return (await findServer(places.clusterDir, password.trim()))?.url ?? null
}

async function adoptOrStart(places: DataDir, password: string, log: ServerLog): Promise<{ pid: number; port: number; url: string }> {
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
