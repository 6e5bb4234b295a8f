import { type Config, OperationFailed } from '@tidings/config'
import { embeddedConnections } from '@tidings/postgres/embedded'

/** Connections of the embedded server that are kept for commands, health checks and the server itself. */
const RESERVED = 20
/** The connections beside the two pools: listening, the lock of the log, the heartbeat. */
const MORE_PER_PROCESS = 3
const SMALLEST_POOL = 2

/**
 * The settings of each of `count` processes: the connections of the embedded server are shared out. Throws one sentence where there are too
 * few. With a database of the operator's own a pool is as large as he says.
 */
export function settingsOfEach(config: Config, count: number, connections: number = embeddedConnections()): Config {
  if (config.storage.databaseUrl !== null) return config
  const most = Math.floor((connections - RESERVED) / (2 * SMALLEST_POOL + MORE_PER_PROCESS))
  if (count > most)
    throw new OperationFailed(
      `TIDINGS_PROCESSES must be at most ${most} on this machine: its embedded Postgres has ${connections} connections.`,
    )
  const share = Math.floor(((connections - RESERVED) / count - MORE_PER_PROCESS) / 2)
  return { ...config, storage: { ...config.storage, poolSize: Math.min(config.storage.poolSize, share) } }
}
