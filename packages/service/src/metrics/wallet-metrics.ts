import { databaseNow } from '@tidings/clock'
import type { SweptWallets } from '@tidings/consumers'
import { metrics } from '@tidings/http'
import type { WalletTotals } from '@tidings/read-models'
import { Counter, Gauge } from 'prom-client'
import { figureGauge } from './figure-gauge.ts'
import { sharedRead } from './shared-read.ts'

const sweptHolds = new Counter({
  name: 'tidings_wallet_swept_holds_total',
  help: 'Holds of credits that an attempt left behind, by how the sweep ended them: settled, released',
  labelNames: ['end'],
  registers: [metrics],
})

const oldestHold = new Gauge({
  name: 'tidings_wallet_oldest_hold_seconds',
  help: 'How long the attempt that has the oldest hold of credits has had it, at the last sweep; only in the process that sweeps',
  registers: [metrics],
})

/** Shows one round of the sweep; null: another process sweeps. */
export function showSwept(swept: SweptWallets | null): void {
  // No figure is better than one that no sweep brings up to date.
  oldestHold.remove()
  if (swept === null) return
  sweptHolds.inc({ end: 'settled' }, swept.settled)
  sweptHolds.inc({ end: 'released' }, swept.released)
  oldestHold.set(swept.heldSince === null ? 0 : Math.max(0, (databaseNow() - Date.parse(swept.heldSince)) / 1_000))
}

/** The wallets of the installation, from their projection. */
export function observeWallets(read: () => Promise<WalletTotals>): void {
  const totals = sharedRead(read)
  figureGauge('tidings_wallet_low', 'Wallets with fewer SMS credits to spend than TIDINGS_LOW_CREDITS', async () => (await totals()).low)
  figureGauge('tidings_wallet_open_holds', 'Messages on their way that credits are held for', async () => (await totals()).openHolds)
  figureGauge('tidings_wallet_held_credits', 'SMS credits that are held for messages on their way', async () => (await totals()).held)
}
