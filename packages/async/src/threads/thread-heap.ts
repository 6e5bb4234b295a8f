import type { ResourceLimits } from 'node:worker_threads'
import { machineMemory } from '../machine-memory.ts'

const MB = 1024 * 1024
const MOST_MB = 2_048
/** A machine with this much memory has room for a larger young heap. */
const ROOM_MB = 1_024

/** `of`: how many threads there are. `least`: MB that one needs in any case. `young`: MB of the young heap where memory is short, and where it is not. */
type Heaps = Readonly<{ of: number; least: number; young: readonly [number, number] }>

/**
 * What a thread may hold: all together an eighth of the machine's memory, each at most 2 GB; V8's own limits would be larger. Beyond it a thread ends, and
 * the process goes on. V8 collects all of a heap the more often, the smaller its limit is, however little it holds: docs/explanation/the-log.md.
 */
export function threadHeap({ of, least, young: [short, wide] }: Heaps, memory: number = machineMemory()): ResourceLimits {
  const limit = Math.min(MOST_MB, Math.max(least, Math.floor(memory / 8 / of / MB)))
  return { maxOldGenerationSizeMb: limit, maxYoungGenerationSizeMb: limit < ROOM_MB ? short : wide }
}
