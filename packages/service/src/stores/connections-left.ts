import type { Log } from '@tidings/observability/log'
import { type Connections, countConnections } from '@tidings/postgres'
import { livingProcesses } from '@tidings/projections'
import type { Pool } from 'pg'

/** The connections beside the two pools: listening, the lock of the log, the heartbeat. */
export const MORE_PER_PROCESS = 3

/** The most that one process opens. */
export function connectionsOfProcess(poolSize: number): number {
  return 2 * poolSize + MORE_PER_PROCESS
}

type Needed = Readonly<{ poolSize: number; processes: number }>

const HOW = 'Raise max_connections of Postgres, or lower TIDINGS_DATABASE_POOL_SIZE'

/** What is taken and what may be, in numbers; null where there are enough. `processes`: those that may open theirs beside what is used now. */
export function tooFewConnections({ limit, used }: Connections, { poolSize, processes }: Needed): string | null {
  const needed = processes * connectionsOfProcess(poolSize)
  if (needed <= limit - used) return null
  const each = `2 pools of TIDINGS_DATABASE_POOL_SIZE=${poolSize} and ${MORE_PER_PROCESS} more`
  const who = processes === 1 ? `a process takes up to ${needed} connections` : `${processes} processes take up to ${needed} connections`
  return `${who} (${each}), and Postgres has ${Math.max(0, limit - used)} left of ${limit}`
}

/** Counts before the pools fill: a server with too few answers for a while, and then refuses at random. */
export async function warnOfTooFewConnections({
  pool,
  poolSize,
  log,
}: Readonly<{ pool: Pool; poolSize: number; log: Log }>): Promise<void> {
  const { limit, used } = await countConnections(pool)
  // One of them is this one.
  const few = tooFewConnections({ limit, used: Math.max(0, used - 1) }, { poolSize, processes: 1 })
  if (few !== null) log.warn({ limit, used, poolSize }, `There may be too few database connections: ${few}. ${HOW}.`)
}

/** For `doctor`: the same of all processes that live now, which have some of theirs open. Throws where there are too few. */
export async function checkConnections({ pool, poolSize }: Readonly<{ pool: Pool; poolSize: number }>): Promise<string> {
  const { limit, used } = await countConnections(pool)
  const processes = Math.max(1, await livingProcesses(pool))
  const few = tooFewConnections({ limit, used: 0 }, { poolSize, processes })
  if (few !== null) throw new Error(`${few}. ${used} are taken now.`)
  return `${used} of ${limit} are taken; ${processes === 1 ? 'a process takes' : `${processes} processes take`} up to ${processes * connectionsOfProcess(poolSize)}`
}
