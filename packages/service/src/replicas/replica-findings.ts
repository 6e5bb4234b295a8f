import type { Config } from '@tidings/config'
import { createPool } from '@tidings/postgres'
import type { Pool } from 'pg'
import { lookAtServer, serverName } from './look-at-server.ts'

type ReplicaFinding = Readonly<{ name: string; look: () => Promise<string> }>

/** For `doctor`: each configured replica, and how it stands; `look` throws where it cannot be read. */
export function replicaFindings({ storage }: Config, { pool }: Readonly<{ pool: Pool }>): readonly ReplicaFinding[] {
  return storage.readDatabaseUrls.map((url) => ({ name: serverName(url), look: () => lookAtReplica(url, pool) }))
}

async function lookAtReplica(url: string, primaryPool: Pool): Promise<string> {
  const own = createPool({ url, max: 1, name: 'tidings-doctor' })
  try {
    const primary = await lookAtServer(primaryPool)
    const replica = await lookAtServer(own)
    if (!replica.isReplica) throw new Error('it takes writes itself: it is no replica, or was promoted')
    if (replica.system !== primary.system) throw new Error('it is a replica of another server')
    const behind = primary.lsn > replica.lsn ? primary.lsn - replica.lsn : 0n
    return `${behind} bytes behind the database`
  } finally {
    await own.end()
  }
}
