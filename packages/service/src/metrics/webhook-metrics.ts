import { type RunningWebhooks, webhookDepth } from '@tidings/consumers'
import { metrics } from '@tidings/http'
import type { Pool } from 'pg'
import { Counter, Gauge, Histogram } from 'prom-client'
import { sharedRead } from './shared-read.ts'

const tries = new Counter({
  name: 'tidings_webhook_tries_total',
  help: 'Tries of webhook deliveries by how they ended: delivered, retrying, dropped',
  labelNames: ['outcome'],
  registers: [metrics],
})
const seconds = new Histogram({
  name: 'tidings_webhook_try_seconds',
  help: 'How long the receivers of webhooks take',
  buckets: [0.005, 0.025, 0.1, 0.5, 2, 10],
  registers: [metrics],
})
const dropped = new Counter({
  name: 'tidings_webhook_backlog_dropped_total',
  help: 'Webhook deliveries that were not admitted because too many wait for their endpoint',
  registers: [metrics],
})

export const countWebhookTry = (outcome: string, ms: number): void => {
  tries.inc({ outcome })
  seconds.observe(ms / 1_000)
}

export const countDropped = (count: number): void => dropped.inc(count)

/** What waits in the installation, and what this process has in hand. */
export const observeWebhooks = (pool: Pool, load: RunningWebhooks['load']): void => {
  for (const name of ['tidings_webhook_waiting', 'tidings_webhook_longest_queue', 'tidings_webhook_running'])
    metrics.removeSingleMetric(name)
  const waiting = sharedRead(() => webhookDepth(pool))
  const gauge = (name: string, help: string, read: () => Promise<number>): void => {
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
  gauge(
    'tidings_webhook_waiting',
    'Webhook deliveries that wait; where 10 000 endpoints have some, an estimate',
    async () => (await waiting()).all,
  )
  gauge(
    'tidings_webhook_longest_queue',
    'Webhook deliveries that wait for the endpoint with the most',
    async () => (await waiting()).longest,
  )
  gauge('tidings_webhook_running', 'Webhook deliveries at work in this process', async () => load().running)
}
