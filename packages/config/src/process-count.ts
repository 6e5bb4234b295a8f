import { availableParallelism } from 'node:os'
import type { Config } from './schema.ts'

/** How many processes serve: one on up to two cores, where Postgres needs the other; else one core is left to Postgres. */
export function processCount({ processes }: Pick<Config, 'processes'>, cores: number = availableParallelism()): number {
  if (processes !== 'auto') return processes
  return cores <= 2 ? 1 : cores - 1
}
