import { isoNow } from '@tidings/async/clock'
import type { StateLoader } from '@tidings/commands'
import { LINK_MAIL, runLanes } from '@tidings/jobs'
import type { Logger } from '@tidings/observability/log'
import type { EmailProvider } from '@tidings/providers'
import type { Pool } from 'pg'
import { faultLines, type RunningConsumers } from '../running.ts'
import { RETRY_DELAYS_MS, UNCONFIRMED_MS } from '../send/retries.ts'
import { LEASE_MS } from '../send/send-lanes.ts'
import { type LostMail, sendLinkMail } from './send-link-mail.ts'

/** `operatorAddress`: the operator's own, from which links are mailed. */
export type LinkMailOptions = Readonly<{
  pool: Pool
  commands: StateLoader
  email: EmailProvider
  operatorAddress: string
  publicUrl: string
  logger: Logger
  retryDelaysMs?: readonly number[]
  unconfirmedMs?: number
  now?: () => string
}>

const CONCURRENCY = 4

/** Mails the links that users sign in with (M93). Routes admit the jobs; no event does. */
export function startLinkMails(options: LinkMailOptions): RunningConsumers {
  const { pool, commands, email: provider, operatorAddress: from, publicUrl, logger, now = isoNow } = options
  const { retryDelaysMs = RETRY_DELAYS_MS, unconfirmedMs = UNCONFIRMED_MS } = options
  const mailing = {
    ...{ pool, commands, provider, from, publicUrl, retryDelaysMs, unconfirmedMs, now },
    onLost: (lost: LostMail) => logger.warn(lost, 'a link could not be mailed to a user: a new one can be passed on by hand'),
  }
  const lanes = runLanes({
    pool,
    kind: LINK_MAIL,
    concurrency: CONCURRENCY,
    leaseMs: Math.max(LEASE_MS, 3 * provider.callMs),
    work: (job, lease, signal) => sendLinkMail(mailing, job, lease, signal),
    isPaused: () => provider.outage() !== null,
    onFault: faultLines(logger, 'a link could not be mailed'),
  })
  return { views: [], progress: () => ({}), stop: () => lanes.stop() }
}
