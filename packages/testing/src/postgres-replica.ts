import { execFile } from 'node:child_process'
import { chmod, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { startServerIn, type TestPostgres } from './postgres-server.ts'
import { scratchFolder } from './sweep.ts'

/**
 * Starts a streaming replica of a test server: a copy of its data, made while it is shut down for a moment. Resolves when the replica can be read. The server must
 * keep its WAL for as long as a replica may be away (`wal_keep_size`).
 */
export async function startTestReplica(primary: TestPostgres): Promise<TestPostgres> {
  const dir = await scratchFolder()
  const folder = join(dir, 'postgres')
  await primary.shutDown()
  await promisify(execFile)('cp', ['-a', primary.folder, folder])
  await writeFile(join(folder, 'standby.signal'), '')
  // The account of the servers has to reach the socket.
  await chmod(dirname(primary.folder), 0o711)
  await primary.start()
  return await startServerIn(dir, { settings: { primary_conninfo: conninfo(primary.url) } })
}

const conninfo = (url: string): string => {
  const { searchParams, hostname, port, username, password } = new URL(url)
  const parts = { host: searchParams.get('host') ?? hostname, port, user: username, password }
  return Object.entries(parts)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')
}
