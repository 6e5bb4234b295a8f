import type { Transport } from '@tidings/bus'
import type { Config } from '@tidings/config'
import { backoffFrom, type RunningConsumers, startWebhooks, type WorkspaceView } from '@tidings/consumers'
import type { Log } from '@tidings/log'
import { createCaller } from '@tidings/outbound-http'
import { createUrlGuard } from '../command-side/webhook-endpoints.ts'
import { countDropped, countWebhookTry, observeWebhooks } from '../metrics/webhook-metrics.ts'
import type { Stores } from '../stores/open-stores.ts'

type Parts = Readonly<{ config: Config; log: Log; stores: Stores; workspaces: WorkspaceView; transport?: Transport }>

/** Connections to one address of an endpoint's server. */
const CONNECTIONS = 16

/** Delivers webhooks. `views` need a follower. */
export function startWebhookDelivery({ config, log, stores, workspaces, transport }: Parts): RunningConsumers {
  const { backoffMs, timeoutMs, backlog, standardHeaders } = config.webhooks
  const caller = createCaller({ guard: createUrlGuard(config), timeoutMs, connections: CONNECTIONS })
  const webhooks = startWebhooks({
    log: stores.log,
    pool: stores.workPool,
    keyRing: stores.keyRing,
    workspaces,
    caller,
    callMs: timeoutMs,
    backoffMs: backoffFrom(backoffMs),
    backlog,
    standardHeaders: standardHeaders === 1,
    ...(transport && { transport }),
    onResult: countWebhookTry,
    onDropped: (count) => {
      countDropped(count)
      log.warn({ count }, 'webhook deliveries were dropped: too many wait for their endpoint')
    },
    onFault: (error) => log.error({ err: error }, 'webhooks could not be delivered for a moment; it is tried again'),
  })
  observeWebhooks(stores.pool, webhooks.load)
  return {
    views: webhooks.views,
    progress: webhooks.progress,
    stop: async () => {
      await webhooks.stop()
      await caller.close()
    },
  }
}
