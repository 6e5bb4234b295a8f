import type { Config } from '@tidings/config'
import { deliveryContents } from '@tidings/consumers'
import type { DashboardDependencies } from '@tidings/dashboard-api'
import { createRecordLookups } from '@tidings/outbound-http'
import { relayHostsOf } from '@tidings/providers'
import { campaignCopies, contactHolding } from '../operations.ts'
import type { Stores } from '../stores/open-stores.ts'

/** `counters`: those of the process that serves the routes. */
export type OwnDependencies = Pick<DashboardDependencies, 'log' | 'deliveries' | 'campaignCopies' | 'contactHolding'> &
  Readonly<{ senders: Omit<DashboardDependencies['senders'], 'counters'> }>

/** What the routes of the dashboard ask beside those of the command side: what commands of the operator ask, over the same code. */
export function dashboardDependencies(stores: Stores, config: Config): OwnDependencies {
  return {
    log: stores.log,
    deliveries: deliveryContents({ log: stores.log, keyRing: stores.keyRing, standardHeaders: config.webhooks.standardHeaders === 1 }),
    campaignCopies: campaignCopies({ stores, config }),
    senders: {
      lookups: createRecordLookups(config.dns.servers),
      blocklists: config.dns.blocklists,
      relays: relayHostsOf(config.email.provider),
    },
    contactHolding: (workspaceId, kind, value) => contactHolding(stores, { workspaceId, kind, value }),
  }
}
