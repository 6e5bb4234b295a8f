import { type Config, hasProvider, providerTimeoutMs, unusable, vapidKeys } from '@tidings/config'
import type { Log } from '@tidings/observability/log'
import { createCaller } from '@tidings/outbound-http'
import { createPushProvider, type PushProvider, showProviderOutage } from '@tidings/providers'
import { webPush } from '@tidings/providers/registry'
import type { Pool } from 'pg'
import { createUrlGuard } from '../command-side/webhook-endpoints.ts'

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
  if (provider.outage() === null) showProviderOutage({ channel: 'push', provider: provider.name }, false)
  else log.warn(UNCONFIGURED)
  return {
    ...provider,
    close: async () => {
      await provider.close()
      await caller.close()
    },
  }
}

const AGAIN_MS = 600_000
/** Log lines of one period; any server may answer like this. */
const MAX_LINES = 20

/** Writes one log line for each push service that does not take our keys, again after ten minutes if it still does not. */
export function createKeysReport(
  log: Pick<Log, 'error'>,
  now: () => number = Date.now,
): (refused: Readonly<{ service: string; status: number }>) => void {
  const said = new Set<string>()
  let since = now()
  return ({ service, status }) => {
    if (now() - since >= AGAIN_MS) {
      said.clear()
      since = now()
    }
    if (said.has(service) || said.size >= MAX_LINES) return
    said.add(service)
    log.error(
      { service, status },
      'a push service does not take the VAPID keys: its pushes are tried again; check TIDINGS_VAPID_PRIVATE_KEY or vapid.key',
    )
  }
}
