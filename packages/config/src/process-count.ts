import { availableParallelism, totalmem } from 'node:os'
import type { Config } from './schema.ts'

/** What a process takes under load, with what Postgres needs for its connections. */
const BYTES_PER_PROCESS = 200 * 1_048_576
/** The first process, and Postgres. */
const BESIDE = 2

type Machine = Readonly<{ cores: number; memory: number }>

/** `memory`: of the container where it has a bound, else of the machine. */
const thisMachine = (): Machine => ({
  cores: availableParallelism(),
  memory: Math.min(process.constrainedMemory() || Infinity, totalmem()),
})

/**
 * Counts the processes that serve. `auto` is one on up to two cores, where Postgres needs the other; else one core is left to Postgres, and no more
 * processes than have memory. On a database of the operator's own it is one: another would take connections that he never counted.
 */
export function processCount({ processes, storage }: Pick<Config, 'processes' | 'storage'>, machine: Machine = thisMachine()): number {
  if (processes !== 'auto') return processes
  if (storage.databaseUrl !== null || machine.cores <= 2) return 1
  return Math.max(1, Math.min(machine.cores - 1, Math.floor(machine.memory / BYTES_PER_PROCESS) - BESIDE))
}
