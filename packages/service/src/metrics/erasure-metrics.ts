import { openErasures } from '@tidings/consumers'
import type { Pool } from 'pg'
import { figureGauge } from './figure-gauge.ts'
import { sharedRead } from './shared-read.ts'

/** Erasures of persons that are not finished, in the installation. */
export function observeErasures(pool: Pool): void {
  const open = sharedRead(() => openErasures(pool))
  figureGauge('tidings_erasures_open', 'Erasures of persons that are not finished', async () => (await open()).open)
  figureGauge('tidings_erasure_oldest_seconds', 'How long the oldest of them has been waiting', async () => (await open()).oldestSeconds)
}
