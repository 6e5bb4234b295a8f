import { credentialsFromTables } from '@tidings/directory'
import { START } from '@tidings/event-store'
import { processHeartbeat, projectionOwners } from '@tidings/projections'
import { httpApp } from './http/http-app.ts'
import { listen } from './http/listen.ts'
import { observePools, observeRoles } from './metrics/metrics.ts'
import { projectionsAreLive } from './readiness/projections-live.ts'
import { databaseAnswers, readModelsExist } from './readiness/readiness.ts'
import { modeOf } from './roles.ts'
import type { Service, Starting } from './service.ts'
import { openPools } from './stores/pools.ts'

/**
 * A process that only reads: it needs Postgres and nothing else, no log, no keys, no master key. What it knows of API keys it looks up
 * again several times a second, and says in its heartbeat how far that goes.
 */
export const startQueryService = async ({ config, log, roles, alone }: Starting): Promise<Service> => {
  const pools = await openPools({ config, log, mode: modeOf(roles) })
  const { pool, workPool } = pools
  const stops: (() => Promise<void>)[] = [pools.close]
  const stop = async () => {
    for (const close of stops.toReversed()) await close()
  }
  try {
    const credentials = credentialsFromTables(pool, (error) => log.warn({ err: error }, 'the API keys in use could not be looked up again'))
    stops.push(credentials.stop)
    const heartbeat = processHeartbeat({ pool, role: [...roles].join('+'), position: () => credentials.position() ?? START })
    stops.push(heartbeat.stop)
    await heartbeat.begun
    observeRoles(roles)
    observePools({ requests: pool, work: workPool })
    const live = projectionsAreLive({ progress: null, owners: projectionOwners(pool) })
    const ready = { database: databaseAnswers(pool), 'read models': readModelsExist(pool), projections: live }
    const app = httpApp({ config, log, pool, credentials, roles, alone, others: pools.others, ready })
    const { url, close } = await listen({ config, log, app, ready })
    stops.push(close)
    return { url, stores: null, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
