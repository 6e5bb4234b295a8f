import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isAlive, isServerOf, readPostmaster } from './postmaster-pid.ts'

/**
 * Clears the lock files of a server that was killed, when their process id was reused, or belongs to a zombie whose parent
 * has not collected it: either would keep Postgres from starting. Postgres itself clears an id without a process. Backends that outlived
 * their server are no danger: a new server finds their shared memory by the folder's inode, not by these files, and refuses to start.
 */
export async function clearStaleLocks(clusterDir: string): Promise<void> {
  const left = await readPostmaster(clusterDir)
  if (left === null || !isAlive(left.pid) || (await isServerOf(left.pid, clusterDir))) return
  const locks = ['postmaster.pid', `.s.PGSQL.${left.port}.lock`]
  await Promise.all(locks.map((name) => rm(join(clusterDir, name), { force: true })))
}
