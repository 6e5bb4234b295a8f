import type { Transport } from '@tidings/bus'
import { type Config, operatorAddress } from '@tidings/config'
import { type RunningConsumers, startSenders } from '@tidings/consumers'
import type { Log } from '@tidings/log'
import { createRecordLookups } from '@tidings/outbound-http'
import { kyselyOn } from '@tidings/postgres'
import type { EmailProvider } from '@tidings/providers'
import { overdueSenderAddresses, type ReadModels } from '@tidings/read-models'
import type { CommandSide } from '../command-side/command-side.ts'
import type { Stores } from '../stores/open-stores.ts'

type Parts = Readonly<{
  config: Config
  log: Log
  stores: Stores
  commandSide: CommandSide
  email: EmailProvider
  transport?: Transport
}>

/** Proves sender domains and addresses: mails to mailboxes, look-ups in DNS. */
export function startConfirmingSenders({ config, log, stores, commandSide, email, transport }: Parts): RunningConsumers {
  const db = kyselyOn<ReadModels>(stores.workPool)
  return startSenders({
    log: stores.log,
    pool: stores.workPool,
    runner: commandSide.commands,
    provider: email,
    links: commandSide.dependencies.links,
    from: operatorAddress(config),
    takeMailbox: commandSide.mailboxes.take,
    lookups: createRecordLookups(config.dns.servers),
    zones: config.dns.blocklists,
    canWork: stores.masters.isInForce,
    overdue: (page) => overdueSenderAddresses(db, page),
    retryDelaysMs: config.sending.retrySeconds.map((seconds) => seconds * 1_000),
    ...(transport && { transport }),
    onFault: (error, job) =>
      log.error({ err: error, ...(job && { seq: String(job.seq) }) }, 'a sender could not be proved for a moment; it is tried again'),
  })
}
