import { metrics } from '@tidings/observability/metrics'
import { expect, test } from 'vitest'
import { countProviderCall } from '../src/provider-metrics.ts'

/** What the series show; other files of this process may have counted calls before. */
const shown = async (): Promise<ReadonlyMap<string, number>> => {
  const lines = (await metrics.metrics()).split('\n').filter((line) => line.startsWith('tidings_provider_call'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]))
}
const addedTo = async (before: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>> =>
  new Map([...(await shown())].flatMap(([series, n]) => (n === (before.get(series) ?? 0) ? [] : [[series, n - (before.get(series) ?? 0)]])))

test('calls are counted by channel and result, their time by channel, however often they are looked at', async () => {
  const before = await shown()
  countProviderCall('email', 'accepted', 250)
  countProviderCall('email', 'accepted', 250)
  countProviderCall('email', 'outage', 1_000)
  await shown()
  expect(await addedTo(before)).toEqual(
    new Map([
      ['tidings_provider_calls_total{channel="email",result="accepted"}', 2],
      ['tidings_provider_calls_total{channel="email",result="outage"}', 1],
      ['tidings_provider_call_seconds_total{channel="email"}', 1.5],
    ]),
  )
  countProviderCall('email', 'accepted', 500)
  countProviderCall('sms', 'accepted', 0)
  expect(await addedTo(before)).toEqual(
    new Map([
      ['tidings_provider_calls_total{channel="email",result="accepted"}', 3],
      ['tidings_provider_calls_total{channel="email",result="outage"}', 1],
      ['tidings_provider_calls_total{channel="sms",result="accepted"}', 1],
      ['tidings_provider_call_seconds_total{channel="email"}', 2],
    ]),
  )
})
