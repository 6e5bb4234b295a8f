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

test('calls are counted by channel, provider and result, their time by channel and provider, however often they are looked at', async () => {
  const first = { channel: 'email', provider: 'a.example:587' } as const
  const second = { channel: 'email', provider: 'b.example:25' } as const
  const before = await shown()
  countProviderCall(first, 'accepted', 250)
  countProviderCall(first, 'accepted', 250)
  countProviderCall(first, 'outage', 1_000)
  countProviderCall(second, 'accepted', 500)
  await shown()
  expect(await addedTo(before)).toEqual(
    new Map([
      ['tidings_provider_calls_total{channel="email",provider="a.example:587",result="accepted"}', 2],
      ['tidings_provider_calls_total{channel="email",provider="a.example:587",result="outage"}', 1],
      ['tidings_provider_calls_total{channel="email",provider="b.example:25",result="accepted"}', 1],
      ['tidings_provider_call_seconds_total{channel="email",provider="a.example:587"}', 1.5],
      ['tidings_provider_call_seconds_total{channel="email",provider="b.example:25"}', 0.5],
    ]),
  )
  countProviderCall(first, 'accepted', 500)
  countProviderCall({ channel: 'sms', provider: 'c.example:443' }, 'accepted', 0)
  expect(await addedTo(before)).toEqual(
    new Map([
      ['tidings_provider_calls_total{channel="email",provider="a.example:587",result="accepted"}', 3],
      ['tidings_provider_calls_total{channel="email",provider="a.example:587",result="outage"}', 1],
      ['tidings_provider_calls_total{channel="email",provider="b.example:25",result="accepted"}', 1],
      ['tidings_provider_calls_total{channel="sms",provider="c.example:443",result="accepted"}', 1],
      ['tidings_provider_call_seconds_total{channel="email",provider="a.example:587"}', 2],
      ['tidings_provider_call_seconds_total{channel="email",provider="b.example:25"}', 0.5],
    ]),
  )
})
