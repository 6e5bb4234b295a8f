import type { Config } from '@tidings/config'
import { deliveryContents } from '@tidings/consumers'
import type { DashboardDependencies } from '@tidings/dashboard-api'
import { campaignCopies, contactHolding } from '../operations.ts'
import type { Stores } from '../stores/open-stores.ts'

/** What the routes of the dashboard ask beside those of the command side: what commands of the operator ask, over the same code. */
export function dashboardDependencies(
  stores: Stores,
  config: Config,
): Pick<DashboardDependencies, 'log' | 'deliveries' | 'campaignCopies' | 'contactHolding'> {
  return {
    log: stores.log,
    deliveries: deliveryContents({ log: stores.log, keyRing: stores.keyRing, standardHeaders: config.webhooks.standardHeaders === 1 }),
    campaignCopies: campaignCopies({ stores, config }),
    contactHolding: (workspaceId, kind, value) => contactHolding(stores, { workspaceId, kind, value }),
  }
}
