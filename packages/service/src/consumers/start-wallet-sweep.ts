import type { Config } from '@tidings/config'
import { type SweptWallets, sweepWallets } from '@tidings/consumers'
import type { Log } from '@tidings/log'
import { kyselyOn } from '@tidings/postgres'
import { type ReadModels, walletTotals, workspacesWithHolds } from '@tidings/read-models'
import type { CommandSide } from '../command-side/command-side.ts'
import { observeWallets, showSwept } from '../metrics/wallet-metrics.ts'
import type { Stores } from '../stores/open-stores.ts'

type Parts = Readonly<{ config: Pick<Config, 'credits'>; log: Log; stores: Stores; commandSide: CommandSide }>

/** Ends holds of credits that attempts left behind, and shows the wallets as metrics. */
export function startWalletSweep({ config, log, stores, commandSide }: Parts): Readonly<{ stop: () => Promise<void> }> {
  const db = kyselyOn<ReadModels>(stores.workPool)
  observeWallets(() => walletTotals(kyselyOn<ReadModels>(stores.pool), config.credits.low))
  const onSwept = (swept: SweptWallets | null): void => {
    showSwept(swept)
    if (swept === null || swept.workspaces === 0) return
    const { settled, released, workspaces } = swept
    log.info({ settled, released, workspaces }, 'holds of SMS credits were ended whose attempt is gone')
  }
  return sweepWallets({
    log: stores.log,
    pool: stores.workPool,
    runner: commandSide.commands,
    wallets: commandSide.wallets,
    canWork: stores.masters.isInForce,
    withHolds: (page) => workspacesWithHolds(db, page),
    onSwept,
    onFault: (error) => log.warn({ err: error }, 'the holds of SMS credits could not be swept; it is tried again'),
  })
}
