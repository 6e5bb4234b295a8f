import type { DataDir } from './data-dir.ts'
import { shutDown } from './launch.ts'
import { isOwn } from './lock.ts'
import type { Members } from './members.ts'
import { readPostmaster } from './postmaster-pid.ts'

type Used = Readonly<{ paths: DataDir; members: Pick<Members, 'others'> }>

const inUse = new Set<Used>()

/** Notes that this process uses the server of a data directory, from before it starts it; the answer ends the note. */
export function noteUse(used: Used): () => void {
  inUse.add(used)
  return () => void inUse.delete(used)
}

/**
 * Ends the servers that this process owns and no other process uses, for a process that must end at once: without waiting for what they do,
 * which the next start recovers. Never rejects.
 */
export async function endOwnServers(): Promise<void> {
  await Promise.allSettled([...inUse].map(endServer))
}

async function endServer({ paths, members }: Used): Promise<void> {
  if (!(await isOwn(paths.lockFile)) || (await members.others())) return
  const server = await readPostmaster(paths.clusterDir)
  if (server !== null) await shutDown(paths.clusterDir, server.pid, 'immediate')
}
