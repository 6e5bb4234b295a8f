import { listDepth } from '@tidings/consumers'
import type { Pool } from 'pg'
import { figureGauge } from './figure-gauge.ts'
import { sharedRead } from './shared-read.ts'

/** How far rules of dynamic lists are, in the installation. */
export function observeLists(pool: Pool): void {
  const depth = sharedRead(() => listDepth(pool))
  figureGauge('tidings_list_runs', 'Rules of dynamic lists that are being brought to all contacts', async () => (await depth()).runs)
  figureGauge('tidings_list_run_contacts', 'Contacts that these rules have been compared with', async () => (await depth()).contacts)
  figureGauge('tidings_list_due_seconds', 'How late contacts are reviewed whom time may move', async () => (await depth()).dueSeconds)
}
