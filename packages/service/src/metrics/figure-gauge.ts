import { metrics } from '@tidings/http'
import { Gauge } from 'prom-client'

/** A gauge of one figure that asks when it is scraped. A database that does not answer leaves it empty: `/health/ready` says why. */
export function figureGauge(name: string, help: string, read: () => Promise<number>): void {
  metrics.removeSingleMetric(name)
  new Gauge({
    name,
    help,
    registers: [metrics],
    async collect() {
      const value = await read().catch(() => null)
      if (value === null) this.remove()
      else this.set(value)
    },
  })
}
