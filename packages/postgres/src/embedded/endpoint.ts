import { createServer } from 'node:net'
import { join } from 'node:path'
import { ROLE } from './initdb.ts'

/** The address of a server: a Unix socket in its own folder, or a port of 127.0.0.1 if that path is too long. */
export type Endpoint = Readonly<{ socketDir: string | null; port: number }>

/** A Unix socket's path holds 107 bytes on Linux and 103 on macOS. */
const LONGEST_SOCKET_PATH = 103
const SOCKET_PORT = 5432

/** The endpoint of a server that runs on a cluster: its socket, or `port` where the socket's path is too long. */
export function endpointOf(clusterDir: string, port: number): Endpoint {
  const socket = join(clusterDir, `.s.PGSQL.${SOCKET_PORT}`)
  return Buffer.byteLength(socket) <= LONGEST_SOCKET_PATH ? { socketDir: clusterDir, port: SOCKET_PORT } : { socketDir: null, port }
}

/** The endpoint for a new server; `remembered` is the port it had before, kept when it is still free. */
export async function chooseEndpoint(clusterDir: string, remembered: number | null): Promise<Endpoint> {
  const kept = remembered === null ? null : await freePort(remembered).catch(() => null)
  return endpointOf(clusterDir, kept ?? (await freePort(0)))
}

/** The address of one database of the server. `localhost` only fills the host's place: the socket directory wins. */
export function endpointUrl(endpoint: Endpoint, password: string, database: string = ROLE): string {
  const at = endpoint.socketDir === null ? `127.0.0.1:${endpoint.port}` : `localhost:${endpoint.port}`
  const socket = endpoint.socketDir === null ? '' : `?host=${encodeURIComponent(endpoint.socketDir)}`
  return `postgres://${ROLE}:${password}@${at}/${database}${socket}`
}

/** The settings that make the server listen there. Its working directory is the cluster, hence the dot. */
export function listenArguments(endpoint: Endpoint): readonly string[] {
  const addresses = endpoint.socketDir === null ? '127.0.0.1' : ''
  const sockets = endpoint.socketDir === null ? '' : '.'
  return ['-p', String(endpoint.port), '-c', `listen_addresses=${addresses}`, '-c', `unix_socket_directories=${sockets}`]
}

function freePort(wanted: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const probe = createServer()
  probe.once('error', reject)
  probe.listen(wanted, '127.0.0.1', () => {
    const address = probe.address()
    probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : wanted))
  })
  return promise
}
