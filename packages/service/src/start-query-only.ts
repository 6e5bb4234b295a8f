import { vapidKeys } from '@tidings/config'
import { credentialsFromTables } from '@tidings/directory'
import { START } from '@tidings/event-store'
import { processHeartbeat } from '@tidings/projections'
import { createHttpApp } from './http/create-http-app.ts'
import { listen } from './http/listen.ts'
import { observePools, observeRoles } from './process-metrics.ts'
import { createQueryOnlyChecks } from './readiness/checks.ts'
import { modeOf } from './roles.ts'
import type { RunningParts } from './running-parts.ts'
import type { Service, Starting } from './service.ts'
import { openPools } from './stores/open-pools.ts'

/**
 * A process that only reads: it needs Postgres and nothing else, no log, no keys, no master key. It reads the API keys in use again several
 * times a second, and its heartbeat says up to which position it knows them.
 */
export async function startQueryOnly({ config, log, roles, alone }: Starting, parts: RunningParts): Promise<Omit<Service, 'stop'>> {
  const { pool, workPool, others, close } = await openPools({ config, log, mode: modeOf(roles) })
  parts.addFoundation(close)
  observeRoles(roles)
  observePools({ requests: pool, work: workPool })

  const credentials = credentialsFromTables(pool, (error) => log.warn({ err: error }, 'the API keys in use could not be looked up again'))
  parts.addFoundation(credentials.stop)

  const heartbeat = processHeartbeat({ pool, role: [...roles].join('+'), position: () => credentials.position() ?? START })
  parts.addFoundation(heartbeat.stop)
  await heartbeat.begun

  const ready = createQueryOnlyChecks(pool)
  const vapidPublicKey = (await vapidKeys(config))?.publicKey ?? null
  const app = createHttpApp({ config, log, pool, credentials, roles, alone, others, ready, vapidPublicKey })
  const listening = await listen({ config, log, app, ready })
  parts.addIntake(listening.close)

  return { url: listening.url, stores: null }
}
