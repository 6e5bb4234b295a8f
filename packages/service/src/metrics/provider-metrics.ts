import type { ProviderChannel } from '@tidings/config'
import { metrics } from '@tidings/http'
import { Counter, Gauge } from 'prom-client'

const providerCalls = new Counter({
  name: 'tidings_provider_calls_total',
  help: 'Calls to a provider by result: accepted, recipient, refused, temporary, unconfirmed, outage',
  labelNames: ['channel', 'result'],
  registers: [metrics],
})
const providerSeconds = new Counter({
  name: 'tidings_provider_call_seconds_total',
  help: 'Time spent in calls to a provider',
  labelNames: ['channel'],
  registers: [metrics],
})

const providerOutage = new Gauge({
  name: 'tidings_provider_outage',
  help: 'Whether no message can be sent: the provider cannot be reached, or refuses the service before any message',
  labelNames: ['channel'],
  registers: [metrics],
})

/** Shows whether messages of a channel can be sent. */
export function showProviderOutage(channel: ProviderChannel, down: boolean): void {
  providerOutage.set({ channel }, down ? 1 : 0)
}

/** Counts one call of a channel's provider. */
export function countProviderCall(channel: ProviderChannel, result: string, ms: number): void {
  providerCalls.inc({ channel, result })
  providerSeconds.inc({ channel }, ms / 1_000)
}
