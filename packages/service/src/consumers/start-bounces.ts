import type { Config } from '@tidings/config'
import { startBounceReader } from '@tidings/consumers'
import type { Log } from '@tidings/log'
import { createReturnPaths, type ReturnPaths } from '@tidings/providers'
import type { CommandSide } from '../command-side/command-side.ts'
import { countBounceMail, showBounceMailboxOutage } from '../metrics/bounce-metrics.ts'
import type { Stores } from '../stores/open-stores.ts'

type Parts = Readonly<{ config: Config; log: Log; stores: Stores; commandSide: CommandSide }>

/** The envelope senders of mail; null where it leaves from its own sender. */
export function returnPathsOf({ email }: Pick<Config, 'email'>, { masters }: Pick<Stores, 'masters'>): ReturnPaths | null {
  return email.returnPath === null ? null : createReturnPaths({ address: email.returnPath, derive: masters.derivers })
}

/** Reads the mailbox of bounces, where there is one. Throws one sentence, without a secret, for an address that cannot be used. */
export function startBounces({ config, log, stores, commandSide }: Parts): Readonly<{ stop: () => Promise<void> }> {
  const returnPaths = returnPathsOf(config, stores)
  const { bounceMailbox: url, timeoutMs: callMs } = config.email
  if (returnPaths === null || url === null) return { stop: async () => undefined }
  showBounceMailboxOutage(false)
  return startBounceReader({
    url,
    callMs,
    returnPaths,
    pool: stores.workPool,
    runner: commandSide.commands,
    lookup: commandSide.dependencies.messages,
    now: commandSide.dependencies.now,
    onMail: countBounceMail,
    onOutage: (reason) => {
      showBounceMailboxOutage(reason !== null)
      if (reason === null) log.info('the mailbox of bounces is read again')
      else log.error({ reason }, 'the mailbox of bounces cannot be read: its mails wait there, and reading goes on by itself')
    },
    onFault: (error, uid) => log.error({ err: error, uid }, 'a mail in the mailbox of bounces could not be taken: it is flagged there'),
  })
}
