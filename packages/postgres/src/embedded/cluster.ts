import { access } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { binariesFor } from './binaries.ts'
import { chooseEndpoint, type Endpoint, endpointUrl } from './endpoint.ts'
import { serverIdentity } from './identity.ts'
import { initialise, ROLE } from './initdb.ts'
import { launch, shutDown } from './launch.ts'
import { embeddedBuffersMb, type Settings } from './settings.ts'

/**
 * `port`: the one of the last time, if any. `buffersMb`: the memory for pages; null: by the memory of the machine. `settings` and
 * `initdbArguments`: what the caller has otherwise than an embedded server.
 */
export type ClusterPaths = Readonly<{
  clusterDir: string
  logFile: string
  password: string
  port: number | null
  buffersMb: number | null
  settings?: Settings
  initdbArguments?: readonly string[]
  warn: (message: string) => void
}>

/** A server that takes connections. `url` is of its database `tidings`. */
export type RunningCluster = Readonly<{ pid: number; url: string; endpoint: Endpoint; stop: (how?: 'fast' | 'kill') => Promise<void> }>

/** Starts the server of a cluster, after creating the cluster and its database where they are missing. */
export async function startCluster(paths: ClusterPaths): Promise<RunningCluster> {
  const { clusterDir, logFile, password, warn, buffersMb, settings, initdbArguments } = paths
  const identity = await serverIdentity(clusterDir)
  const binaries = await binariesFor(identity)
  const exists = await access(join(clusterDir, 'PG_VERSION')).then(
    () => true,
    () => false,
  )
  if (!exists) await initialise({ clusterDir, binaries, identity, password, ...(initdbArguments && { initdbArguments }) })
  const endpoint = await chooseEndpoint(clusterDir, paths.port)
  const server = { clusterDir, logFile, binaries, identity, endpoint, warn, ...(settings && { settings }) }
  const pid = await launch({ ...server, buffersMb: buffersMb ?? embeddedBuffersMb() })
  await ensureDatabase(endpointUrl(endpoint, password, 'postgres'))
  return { pid, endpoint, url: endpointUrl(endpoint, password), stop: (how) => shutDown(clusterDir, pid, how) }
}

/** Looks first: CREATE DATABASE has no IF NOT EXISTS. */
async function ensureDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  // The listener keeps a lost connection from ending the process; the failing statement reports the loss.
  client.on('error', () => undefined)
  await client.connect()
  try {
    const found = await client.query('select 1 from pg_database where datname = $1', [ROLE])
    if (found.rowCount === 0) await client.query(`create database ${client.escapeIdentifier(ROLE)}`)
  } finally {
    await client.end()
  }
}
