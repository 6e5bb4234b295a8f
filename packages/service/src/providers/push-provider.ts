import { type Config, hasProvider, vapidKeys } from '@tidings/config'
import type { Log } from '@tidings/log'
import { createCaller } from '@tidings/outbound-http'
import { createPushProvider, type PushProvider, showProviderOutage } from '@tidings/providers'
import type { Pool } from 'pg'
import { createUrlGuard } from '../command-side/webhook-endpoints.ts'
import { createKeysReport } from './report-keys.ts'

/** Connections of a workspace to one push service. */
const CONNECTIONS = 16

const UNCONFIGURED = 'TIDINGS_VAPID_PRIVATE_KEY is not set: pushes stay queued until it is'

type Parts = Readonly<{ config: Config; log: Log; pool: Pool }>

/** Throws one sentence for keys that cannot be used. Without any, pushes stay queued, and one log line says so. */
export async function openPushProvider({ config, log, pool }: Parts): Promise<PushProvider> {
  const callMs = config.email.timeoutMs
  const caller = createCaller({ guard: createUrlGuard(config), timeoutMs: callMs, connections: CONNECTIONS })
  const isOutbox = config.push.provider === 'outbox'
  const vapid = isOutbox && !hasProvider(config, 'push') ? null : await vapidKeys(config)
  const provider = await createPushProvider({
    provider: isOutbox && hasProvider(config, 'push') ? 'outbox' : 'web-push',
    vapid,
    pool,
    caller,
    connections: CONNECTIONS,
    callMs,
    onKeysRefused: createKeysReport(log),
  })
  if (provider.outage() === null) showProviderOutage('push', false)
  else log.warn(UNCONFIGURED)
  return {
    ...provider,
    close: async () => {
      await provider.close()
      await caller.close()
    },
  }
}
