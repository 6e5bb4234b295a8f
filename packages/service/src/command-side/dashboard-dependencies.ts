import { type Config, operatorAddress } from '@tidings/config'
import { deliveryContents } from '@tidings/consumers'
import type { DashboardDependencies } from '@tidings/dashboard-api'
import { openLogKey, proveConsents } from '@tidings/evidence/proof'
import { createRecordLookups } from '@tidings/outbound-http'
import { relayHostsOf } from '@tidings/providers'
import type { NotMailed } from '@tidings/sign-in'
import { campaignCopies, contactHolding, discardLetter } from '../operations.ts'
import type { Stores } from '../stores/open-stores.ts'
import type { CommandSide } from './command-side.ts'

/** `counters`: those of the process that serves the routes. */
export type OwnDependencies = Pick<
  DashboardDependencies,
  'findings' | 'log' | 'deliveries' | 'campaignCopies' | 'discardLetter' | 'contactHolding' | 'linkMails' | 'proveConsents' | 'openLogKey'
> &
  Readonly<{ senders: Omit<DashboardDependencies['senders'], 'counters'> }>

/** What the routes of the dashboard ask beside those of the command side: what commands of the operator ask, over the same code. */
export function dashboardDependencies(stores: Stores, config: Config, mailboxes: CommandSide['mailboxes']): OwnDependencies {
  const { pool, store, log, keyRing } = stores
  // Loaded by the first who asks: a start needs none of it.
  let made: ReturnType<typeof makeChecks> | null = null
  const makeChecks = async () => (await import('../doctor/index.ts')).createFindings(config, stores)
  const checks = () => (made ??= makeChecks())
  return {
    log,
    findings: async () => (await checks())(),
    openLogKey: () => openLogKey(keyRing),
    proveConsents: async (wanted) => {
      const making = {
        pool,
        store,
        log,
        key: await openLogKey(keyRing),
        anchorFile: null,
        now: () => new Date(),
        onProgress: () => undefined,
      }
      return (await proveConsents({ ...making, ...wanted })).files
    },
    deliveries: deliveryContents({ log, keyRing, standardHeaders: config.webhooks.standardHeaders === 1 }),
    campaignCopies: campaignCopies({ stores, config }),
    discardLetter: (letter, note) => discardLetter(stores, letter, note),
    senders: {
      lookups: createRecordLookups(config.dns.servers),
      blocklists: config.dns.blocklists,
      relays: relayHostsOf(config.email.provider),
    },
    linkMails: { obstacle: mailObstacle(config), takeMailbox: mailboxes.take },
    contactHolding: (workspaceId, kind, value) => contactHolding(stores, { workspaceId, kind, value }),
  }
}

/** In production the outbox is not shown; a relay does not take mail from `localhost`. */
export function mailObstacle(config: Pick<Config, 'email' | 'environment' | 'http'>): NotMailed | null {
  if (config.email.provider === 'outbox') return config.environment === 'production' ? 'mail_stays_here' : null
  return operatorAddress(config).endsWith('@localhost') ? 'operator_address_missing' : null
}
