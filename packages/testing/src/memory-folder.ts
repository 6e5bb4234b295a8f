import { readFileSync, statfsSync } from 'node:fs'

const FOLDER = '/dev/shm'
/** A container's default of 64 MB is none to work in. */
const ROOM = 4 * 2 ** 30

/**
 * A folder in memory with room for a whole run; null where there is none, or programs in it cannot be run. On ext4 a new file looks past
 * every one that was removed in the last seconds: after some hundred databases, each of 400 files, to create and drop one takes 375 ms of CPU,
 * in memory 62 ms.
 */
export function memoryFolder(): string | null {
  try {
    const { bavail, bsize } = statfsSync(FOLDER)
    const mounted = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' '))
    const options = mounted.findLast(([, folder]) => folder === FOLDER)?.[3]?.split(',')
    return bavail * bsize >= ROOM && options?.includes('rw') && !options.includes('noexec') ? FOLDER : null
  } catch {
    return null
  }
}
