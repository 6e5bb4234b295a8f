import { type RunningWebhooks, webhookDepth } from '@tidings/consumers'
import { metrics } from '@tidings/http'
import type { Pool } from 'pg'
import { Counter, Gauge, Histogram } from 'prom-client'
import { sharedRead } from './shared-read.ts'

const tries = new Counter({
  name: 'tidings_webhook_tries_total',
  help: 'Attempts of webhook deliveries by result: delivered, retrying, dropped',
  labelNames: ['outcome'],
  registers: [metrics],
})
const seconds = new Histogram({
  name: 'tidings_webhook_try_seconds',
  help: 'Seconds that receivers of webhooks take to answer',
  buckets: [0.005, 0.025, 0.1, 0.5, 2, 10],
  registers: [metrics],
})
const dropped = new Counter({
  name: 'tidings_webhook_backlog_dropped_total',
  help: 'Webhook deliveries that were not admitted because too many wait for their endpoint',
  registers: [metrics],
})

export function countWebhookTry(outcome: string, ms: number): void {
  tries.inc({ outcome })
  seconds.observe(ms / 1_000)
}

export function countDropped(count: number): void {
  dropped.inc(count)
}

/** Deliveries that wait in the installation, and those at work in this process. */
export function observeWebhooks(pool: Pool, load: RunningWebhooks['load']): void {
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
  gauge('tidings_webhook_waiting', 'Webhook deliveries that wait; an estimate from 10 000 endpoints on', async () => (await waiting()).all)
  gauge(
    'tidings_webhook_longest_queue',
    'Webhook deliveries that wait for the endpoint with the most',
    async () => (await waiting()).longest,
  )
  gauge('tidings_webhook_running', 'Webhook deliveries being attempted in this process', async () => load().running)
}
