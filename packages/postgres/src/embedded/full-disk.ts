import { statfs } from 'node:fs/promises'

/** A segment of Postgres' log: a server that cannot begin one neither recovers nor starts. */
const SEGMENT_MB = 16

/**
 * Why the server of a directory is down where its disk is full, as an error with the code ENOSPC; null where there is room. The server itself
 * may not be able to say it: its own log is on that disk.
 */
export async function fullDisk(directory: string): Promise<Error | null> {
  const disk = await statfs(directory).catch(() => null)
  if (disk === null) return null
  const leftMb = Math.floor((disk.bavail * disk.bsize) / 2 ** 20)
  if (leftMb >= SEGMENT_MB) return null
  return Object.assign(new Error(`${leftMb} MB are left for ${directory}, and Postgres starts with ${SEGMENT_MB}`), { code: 'ENOSPC' })
}
