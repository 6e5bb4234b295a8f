import type { Config } from '@tidings/config'
import type { Pool } from 'pg'
import { lookAtServer, lookingPool, serverName } from './look-at-server.ts'
import { IS_STRAY } from './replica-fault.ts'

type ReplicaFinding = Readonly<{ name: string; look: () => Promise<string> }>

/** For `doctor`: each configured replica, and how it stands; `look` throws where it cannot be read. */
export function replicaFindings({ storage }: Config, { pool }: Readonly<{ pool: Pool }>): readonly ReplicaFinding[] {
  return storage.readDatabaseUrls.map((url) => ({ name: serverName(url), look: () => lookAtReplica(url, pool) }))
}

async function lookAtReplica(url: string, primaryPool: Pool): Promise<string> {
  const own = lookingPool(url, 'tidings-doctor')
  try {
    const replica = await lookAtServer(own)
    // Asked afterwards: no replica has replayed what the database has not written by then.
    const primary = await lookAtServer(primaryPool)
    if (!replica.isReplica) throw new Error('it takes writes itself: it is no replica, or was promoted')
    if (replica.system !== primary.system) throw new Error('it is a replica of another server')
    if (replica.lsn > primary.lsn) throw new Error(IS_STRAY)
    return `${primary.lsn - replica.lsn} bytes behind the database`
  } finally {
    await own.end()
  }
}
