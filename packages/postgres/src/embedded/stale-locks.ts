import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isAlive, isServerOf, readPostmaster } from './postmaster-pid.ts'

/**
 * Clears the lock files of a server that was killed, when their process id is now somebody else's, or a zombie's whose parent
 * is slow to collect it: either would keep Postgres from starting. The id of nobody is left to Postgres. Backends that outlived
 * their server are no danger: a new one finds their shared memory by the folder's inode, not by these files, and refuses.
 */
export async function clearStaleLocks(clusterDir: string): Promise<void> {
  const left = await readPostmaster(clusterDir)
  if (left === null || !isAlive(left.pid) || (await isServerOf(left.pid, clusterDir))) return
  const locks = ['postmaster.pid', `.s.PGSQL.${left.port}.lock`]
  await Promise.all(locks.map((name) => rm(join(clusterDir, name), { force: true })))
}
