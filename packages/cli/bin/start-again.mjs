// The young heap has its size from the start of a process, so `start` begins again, in the same process, with the size that the memory allows.
import { totalmem } from 'node:os'

const MB = 1024 * 1024
/** A user who sets the size himself keeps his own. */
const SIZE = '--max-semi-space-size'

/** Megabytes: 64 from 2 GB of memory on (that of the container, where it has a bound). Below, 16: what is not garbage is copied there and back. */
const youngHeap = (memory) => (memory >= 2_000 * MB ? 64 : 16)

/** Replaces this process by the same one with a young heap that fits the machine and two arenas of malloc, unless somebody has set them. */
export function startAgain() {
  // A parent that talks to this process by a channel of Node would talk to no process.
  if (process.channel) return
  const set = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].some((option) => option.replaceAll('_', '-').includes(SIZE))
  if (set || typeof process.execve !== 'function') return
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
  const options = [`${SIZE}=${youngHeap(memory)}`, ...process.execArgv]
  process.execve(process.execPath, [process.execPath, ...options, ...process.argv.slice(1)], { MALLOC_ARENA_MAX: '2', ...process.env })
}
