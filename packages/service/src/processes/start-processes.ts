import { WrongMasterKey } from '@tidings/codec'
import { openMasterKeys, postgresKeyStore } from '@tidings/codec/keys'
import { assertEmailProvider, type Config, OperationFailed, vapidKeys } from '@tidings/config'
import type { Log } from '@tidings/observability/log'
import { embeddedConnections } from '@tidings/postgres/embedded'
import type { Service } from '../service.ts'
import { MORE_PER_PROCESS } from '../stores/connections-left.ts'
import { givenMasterKeys } from '../stores/given-master-keys.ts'
import { openPools } from '../stores/open-pools.ts'
import { superviseWorkers } from './supervise-workers.ts'

type Supervising = Readonly<{ config: Config; log: Log; count: number }>

/**
 * Starts `count` processes, each with every role, that share the port; resolves when all have started. This one serves nothing: it owns the
 * embedded Postgres, has run the migrations and made the secrets before any of them begins, and starts again what ends. Rejects with one
 * sentence when one of them cannot start; then nothing is left running.
 */
export async function startProcesses({ config, log, count }: Supervising): Promise<Service> {
  assertEmailProvider(config)
  const pools = await openPools({ config, log, mode: 'service' })
  const workers = superviseWorkers({ log, count, drainMs: config.http.drainSeconds * 1_000 })
  const stop = async (): Promise<void> => {
    await workers.stop()
    await pools.close()
  }
  try {
    const keys = postgresKeyStore(pools.pool)
    await openMasterKeys(keys, await givenMasterKeys(config, keys))
    await vapidKeys(config)
    return { url: await workers.start(), stores: null, missing: workers.missing, stop }
  } catch (error) {
    await stop()
    if (error instanceof WrongMasterKey) throw new OperationFailed(error.message, { cause: error })
    throw error instanceof Error ? error : new OperationFailed(String(error))
  }
}

/** Connections of the embedded server that are kept for commands, health checks and the server itself. */
const RESERVED = 20
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
