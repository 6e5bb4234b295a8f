import { assertEmailProvider, assertMasterKey, type Config, ensureSecrets, OperationFailed, vapidKeys } from '@tidings/config'
import type { Log } from '@tidings/observability/log'
import type { Service } from '../service.ts'
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
  assertMasterKey(config)
  const pools = await openPools({ config, log, mode: 'service' })
  const workers = superviseWorkers({ log, count })
  const stop = async (): Promise<void> => {
    await workers.stop()
    await pools.close()
  }
  try {
    if (config.storage.databaseUrl === null) await ensureSecrets(config.storage.dataDir)
    await vapidKeys(config)
    return { url: await workers.start(), stores: null, stop }
  } catch (error) {
    await stop()
    throw error instanceof Error ? error : new OperationFailed(String(error))
  }
}
