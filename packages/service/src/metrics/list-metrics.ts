import { listDepth } from '@tidings/consumers'
import { metrics } from '@tidings/http'
import type { Pool } from 'pg'
import { Gauge } from 'prom-client'
import { sharedRead } from './shared-read.ts'

/** How far rules of dynamic lists are, in the installation. */
export function observeLists(pool: Pool): void {
  const depth = sharedRead(() => listDepth(pool))
  const gauge = (name: string, help: string, read: () => Promise<number>): void => {
    metrics.removeSingleMetric(name)
    new Gauge({
      name,
      help,
      registers: [metrics],
      async collect() {
        const value = await read().catch(() => null)
        if (value !== null) this.set(value)
      },
    })
  }
  gauge('tidings_list_runs', 'Rules of dynamic lists that are being brought to all contacts', async () => (await depth()).runs)
  gauge('tidings_list_run_contacts', 'Contacts that these rules have been compared with', async () => (await depth()).contacts)
  gauge('tidings_list_due_seconds', 'How late contacts are reviewed whom time may move', async () => (await depth()).dueSeconds)
}
