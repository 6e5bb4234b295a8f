import type { Config } from '@tidings/config'
import { keepProving } from '@tidings/consumers'
import type { Log } from '@tidings/log'
import { HEAD_INTERVAL, openAnchor } from '@tidings/proof'
import { showProofFault } from '../metrics/proof-metrics.ts'
import type { Stores } from '../stores/open-stores.ts'

type Parts = Readonly<{ config: Pick<Config, 'proof'>; log: Log; stores: Stores }>

/** Keeps the tree over the log, by which consents are proven, and its signed heads. */
export function startProving({ config, log, stores }: Parts): Readonly<{ stop: () => Promise<void> }> {
  const { store, keyRing, workPool: pool } = stores
  showProofFault(false)
  return keepProving({
    ...{ pool, store, keyRing, heads: HEAD_INTERVAL },
    anchor: config.proof.anchor === null ? null : openAnchor(config.proof.anchor),
    now: () => new Date(),
    onFault: (reason) => {
      showProofFault(reason !== null)
      if (reason === null) log.info('the log is proven and anchored again')
      else log.error({ reason }, 'the log cannot be proven or anchored: it is tried again')
    },
  })
}
