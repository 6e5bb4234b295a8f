import { availableParallelism } from 'node:os'

/** More would wait for the one thread that takes their results in order; a rebuild's, for Postgres. */
const MOST = 4

/** How many threads work that can be divided is done in: one a core, at most four. */
export function threadCount(): number {
  return Math.min(MOST, availableParallelism())
}
