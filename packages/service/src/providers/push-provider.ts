import { type Config, hasProvider, providerTimeoutMs, unusable, vapidKeys } from '@tidings/config'
import type { Log } from '@tidings/observability/log'
import { createCaller } from '@tidings/outbound-http'
import { createPushProvider, type PushProvider, showProviderOutage } from '@tidings/providers'
import { webPush } from '@tidings/providers/registry'
import type { Pool } from 'pg'
import { createUrlGuard } from '../command-side/webhook-endpoints.ts'
import { createKeysReport } from './report-keys.ts'

const UNCONFIGURED = 'TIDINGS_VAPID_PRIVATE_KEY is not set: pushes stay queued until it is'

type PushSetup = Readonly<{ config: Config; log: Log; pool: Pool }>

/** Throws one sentence for keys that cannot be used. Without any, pushes stay queued, and one log line says so. */
export async function openPushProvider({ config, log, pool }: PushSetup): Promise<PushProvider> {
  const callMs = providerTimeoutMs(config, 'push')
  const caller = createCaller({ guard: createUrlGuard(config), timeoutMs: callMs, connections: webPush.limits.connections })
  const isOutbox = config.push.provider === 'outbox'
  const vapid = isOutbox && !hasProvider(config, 'push') ? null : await vapidKeys(config)
  const provider = await createPushProvider({
    ...config.push,
    provider: isOutbox && !hasProvider(config, 'push') ? webPush.name : (config.push.provider ?? webPush.name),
    vapid,
    pool,
    caller,
    callMs,
    onKeysRefused: createKeysReport(log),
  }).catch(async (error: unknown) => {
    await caller.close()
    throw unusable('TIDINGS_PUSH_PROVIDER', error)
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
