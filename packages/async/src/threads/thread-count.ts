import { availableParallelism } from 'node:os'
import { machineMemory } from '../machine-memory.ts'

/** More threads would wait for the one that takes their results in order; those of a rebuild, for Postgres. */
const MOST = 4

/** A thread takes some 200 MB, and is seldom the only one that needs memory. */
const MEMORY_EACH = 512 * 1024 * 1024

/** Counts the threads for work that can be divided: one a core, at most four, and no more than the machine's memory has room for. */
export function threadCount(memory: number = machineMemory()): number {
  return Math.max(1, Math.min(MOST, availableParallelism(), Math.floor(memory / MEMORY_EACH)))
}
