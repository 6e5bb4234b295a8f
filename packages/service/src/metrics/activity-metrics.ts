import { metrics } from '@tidings/http'
import { kyselyOn } from '@tidings/postgres'
import { ignoredByCatalogue, type ReadModels } from '@tidings/read-models'
import type { Pool } from 'pg'
import { Counter, Gauge } from 'prom-client'
import { sharedRead } from './shared-read.ts'

const carts = new Counter({
  name: 'tidings_carts_total',
  help: 'Carts that were looked at an hour after they began, by outcome: abandoned, bought, renewed, missed, forgotten',
  labelNames: ['outcome'],
  registers: [metrics],
})

export function countCart(outcome: string): void {
  carts.inc({ outcome })
}

/** What event catalogues did not take, or dropped for newer names, over all workspaces. */
export function observeCatalogue(pool: Pool): void {
  metrics.removeSingleMetric('tidings_catalogue_ignored')
  const ignored = sharedRead(() => ignoredByCatalogue(kyselyOn<ReadModels>(pool)))
  new Gauge({
    name: 'tidings_catalogue_ignored',
    help: 'Custom events and property names that event catalogues did not take, or dropped for newer ones, counted each time',
    labelNames: ['what'],
    registers: [metrics],
    async collect() {
      const found = await ignored().catch(() => null)
      if (found === null) return
      this.set({ what: 'events' }, found.names)
      this.set({ what: 'properties' }, found.properties)
    },
  })
}
