import { counter, gauge } from '@tidings/observability/metrics'
import type { ProviderChannel } from './registry.ts'

type Counted = { readonly channel: ProviderChannel; readonly provider: string; readonly result: string; times: number; ms: number }

/** What has happened since each counter was collected: one with labels hashes them each time, and two of them were 4 µs of CPU a message. */
const counted = new Map<string, Counted>()

counter({
  name: 'tidings_provider_calls_total',
  help: 'Calls to a provider by result: accepted, recipient, refused, temporary, unconfirmed, outage',
  labelNames: ['channel', 'provider', 'result'],
  collect() {
    for (const call of counted.values()) {
      if (call.times > 0) this.inc({ channel: call.channel, provider: call.provider, result: call.result }, call.times)
      call.times = 0
    }
  },
})
counter({
  name: 'tidings_provider_call_seconds_total',
  help: 'Time spent in calls to a provider',
  labelNames: ['channel', 'provider'],
  collect() {
    for (const call of counted.values()) {
      if (call.ms > 0) this.inc({ channel: call.channel, provider: call.provider }, call.ms / 1_000)
      call.ms = 0
    }
  },
})

const providerOutage = gauge({
  name: 'tidings_provider_outage',
  help: 'Whether no message can be sent by this provider: it cannot be reached, or refuses the service before any message',
  labelNames: ['channel', 'provider'],
})

/** A provider of a channel, by its label: `host:port`, or its name where it has no address (M68). The configuration bounds how many there are. */
export type ProviderOfChannel = Readonly<{ channel: ProviderChannel; provider: string }>

/** Shows whether messages of a channel can be sent by that provider. */
export function showProviderOutage(of: ProviderOfChannel, down: boolean): void {
  providerOutage.set({ channel: of.channel, provider: of.provider }, down ? 1 : 0)
}

/** Counts one call of a provider. */
export function countProviderCall({ channel, provider }: ProviderOfChannel, result: string, ms: number): void {
  const key = `${channel} ${provider} ${result}`
  const known = counted.get(key) ?? { channel, provider, result, times: 0, ms: 0 }
  known.times++
  known.ms += ms
  counted.set(key, known)
}
