import { startTicker } from '@tidings/async'
import type { Log } from '@tidings/observability/log'
import { countConnections } from '@tidings/postgres'
import { livingProcesses } from '@tidings/projections'
import type { Pool } from 'pg'

/** The connections beside the two pools: listening, the lock of the log, the heartbeat. */
export const MORE_PER_PROCESS = 3

/** The most that one process opens. */
export function connectionsOfProcess(poolSize: number): number {
  return 2 * poolSize + MORE_PER_PROCESS
}

type Needed = Readonly<{ limit: number; taken: number; poolSize: number; processes: number }>

const HOW = 'Raise max_connections of Postgres, or lower TIDINGS_DATABASE_POOL_SIZE or the number of processes'

const takes = ({ poolSize, processes }: Pick<Needed, 'poolSize' | 'processes'>): string =>
  `${processes === 1 ? 'a process takes' : `${processes} processes take`} up to ${processes * connectionsOfProcess(poolSize)} connections`

/** What the processes take when they are busy, and what they may, in numbers; null where that is enough. `taken`: by others than these processes. */
export function tooFewConnections(needed: Needed): string | null {
  const { limit, taken, poolSize, processes } = needed
  if (processes * connectionsOfProcess(poolSize) <= limit - taken) return null
  const each = `2 pools of TIDINGS_DATABASE_POOL_SIZE=${poolSize} and ${MORE_PER_PROCESS} more${processes === 1 ? '' : ' each'}`
  const have = taken === 0 ? `${limit}` : `${Math.max(0, limit - taken)}: ${limit}, of which others have ${taken}`
  return `${takes(needed)} (${each}), and Postgres has ${have}`
}

type Counting = Readonly<{ pool: Pool; poolSize: number }>

type Watching = Counting & Readonly<{ log: Log; everyMs?: number }>

const warn = (log: Log, few: string): void => log.warn(`There may be too few database connections: ${few}. ${HOW}.`)

/** Counts before the pools fill: a server with too few answers for a while, and then refuses at random. */
export async function warnOfTooFewConnections({ pool, poolSize, log }: Watching): Promise<void> {
  const { limit, used } = await countConnections(pool)
  // One of them is this one.
  const few = tooFewConnections({ limit, taken: Math.max(0, used - 1), poolSize, processes: 1 })
  if (few !== null) warn(log, few)
}

/** What all processes that live take, against what the server gives. Processes of several roles that start together do not know of each other at their start. */
const count = async ({ pool, poolSize }: Counting) => {
  const { limit, used, strange } = await countConnections(pool, 'strange')
  const processes = Math.max(1, await livingProcesses(pool))
  return { limit, used, processes, few: tooFewConnections({ limit, taken: strange, poolSize, processes }) }
}

/** Warns when more processes have come than the server has connections for, once for each number of them. */
export function watchConnections({ pool, poolSize, log, everyMs = 10_000 }: Watching): Readonly<{ stop: () => void }> {
  let warnedOf = 1
  return startTicker(everyMs, async () => {
    const counted = await count({ pool, poolSize }).catch(() => null) // A database that is away is said by readiness.
    if (counted === null) return
    if (counted.few === null) warnedOf = 1
    else if (counted.processes > warnedOf) {
      warn(log, counted.few)
      warnedOf = counted.processes
    }
  })
}

/** For `doctor`. Throws where there are too few. */
export async function checkConnections({ pool, poolSize }: Counting): Promise<string> {
  const { limit, used, processes, few } = await count({ pool, poolSize })
  if (few !== null) throw new Error(`${few}. ${used} of the ${limit} are open now.`)
  return `${used} of ${limit} are open; ${takes({ poolSize, processes })}`
}
