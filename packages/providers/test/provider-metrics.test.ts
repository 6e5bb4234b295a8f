import { metrics } from '@tidings/observability/metrics'
import { expect, test } from 'vitest'
import { countProviderCall } from '../src/provider-metrics.ts'

const linesOf = async (): Promise<readonly string[]> =>
  (await metrics.metrics()).split('\n').filter((line) => line.startsWith('tidings_provider_call'))

test('calls are counted by channel and result, their time by channel, however often they are looked at', async () => {
  countProviderCall('email', 'accepted', 250)
  countProviderCall('email', 'accepted', 250)
  countProviderCall('email', 'outage', 1_000)
  await linesOf()
  expect(await linesOf()).toEqual([
    'tidings_provider_calls_total{channel="email",result="accepted"} 2',
    'tidings_provider_calls_total{channel="email",result="outage"} 1',
    'tidings_provider_call_seconds_total{channel="email"} 1.5',
  ])
  countProviderCall('email', 'accepted', 500)
  countProviderCall('sms', 'accepted', 0)
  expect(await linesOf()).toEqual([
    'tidings_provider_calls_total{channel="email",result="accepted"} 3',
    'tidings_provider_calls_total{channel="email",result="outage"} 1',
    'tidings_provider_calls_total{channel="sms",result="accepted"} 1',
    'tidings_provider_call_seconds_total{channel="email"} 2',
  ])
})
