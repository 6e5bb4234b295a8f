import { databaseNow } from '@tidings/clock'
import { type Config, OperationFailed } from '@tidings/config'
import { keepProving } from '@tidings/consumers'
import type { Log } from '@tidings/log'
import { HEAD_INTERVAL, openAnchor } from '@tidings/proof'
import { showProofFault } from '../metrics/proof-metrics.ts'
import type { Stores } from '../stores/open-stores.ts'

type Parts = Readonly<{ config: Pick<Config, 'proof'>; log: Log; stores: Stores }>

/** Keeps the tree over the log, by which consents are proven, and its signed heads. */
export function startProving({ config, log, stores }: Parts): Readonly<{ stop: () => Promise<void> }> {
  const { store, keyRing, masters, workPool: pool } = stores
  showProofFault(false)
  return keepProving({
    ...{ pool, store, keyRing, heads: HEAD_INTERVAL },
    canWork: masters.isInForce,
    anchor: config.proof.anchor === null ? null : openAnchor(config.proof.anchor),
    now: () => new Date(databaseNow()),
    onFault: (error) => {
      showProofFault(error !== null)
      if (error === null) log.info('the log is proven and anchored again')
      // Written for the operator: what was signed or anchored contradicts the log.
      else if (error instanceof OperationFailed) log.error(error.message)
      else log.warn({ err: error }, 'the log could not be proven or anchored; it is tried again')
    },
  })
}
