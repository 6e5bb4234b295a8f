import type { Bench, Group } from '../lib/bench.ts'
import { residentMb } from '../lib/cpu.ts'
import { median, type ReportRow, row } from '../lib/report.ts'
import { addEndpoint, startTelling, writeContacts } from '../lib/telling.ts'
import { unitUs } from '../lib/unit.ts'
import { besideStuck, drain, EVENTS, type Measured, measureLoad, RATE, runs } from '../lib/webhook-loads.ts'

/** A rate at which each event meets nothing that it could share a statement with. */
const LIGHT_RATE = 200
/** The same on a busy machine, too. */
const SINGLE_RATE = 40
/** What an event took that came alone, before its statements were halved. */
const STATEMENTS_ONCE = 15
const CONTACTS = 2_000
/** Each contact joins these lists one after the other: this is the number of different additions. */
const LISTS = 200
const ENDPOINTS = 20
const LATENCY = { atMost: 25 }

const figure = (measured: readonly Measured[], of: (one: Measured) => number): number => median(measured.map(of))
const age = (measured: readonly Measured[], share: 'p50' | 'p95' | 'p99'): number => figure(measured, ({ received }) => received[share])
const rate = (measured: readonly Measured[]): number => figure(measured, ({ perSecond }) => perSecond)
const cpuRows = (measured: readonly Measured[]): readonly ReportRow[] => [
  row(
    '  CPU a delivery, Node',
    'µs',
    figure(measured, ({ node }) => node),
  ),
  row(
    '  CPU a delivery, Postgres',
    'µs',
    figure(measured, ({ postgres }) => postgres),
  ),
]

/** Measures the way from the command to its delivery at the receiver, load and receiver on the same machine. `way`: named in each row. */
export async function webhookRows(bench: Bench, way = '', env: Readonly<Record<string, string>> = {}): Promise<readonly ReportRow[]> {
  const telling = await startTelling(bench, LISTS, env)
  const { service } = telling
  const ids = await writeContacts(telling, CONTACTS)
  await addEndpoint(telling, '/1', EVENTS)
  const many = { many: true, endpoints: 1, ids }
  const one = { many: false, endpoints: 1, ids }
  bench.say(`one contact changes ${SINGLE_RATE} times a second, one endpoint`)
  const alone = await runs(bench, service, () => measureLoad(telling, { ...one, rate: SINGLE_RATE }))
  bench.say(`one contact changes ${LIGHT_RATE} times a second, one endpoint`)
  const light = await runs(bench, service, () => measureLoad(telling, { ...one, rate: LIGHT_RATE }))
  const unit = await unitUs(LIGHT_RATE)
  bench.say(`one contact changes ${RATE} times a second, one endpoint`)
  const steady = await runs(bench, service, () => measureLoad(telling, one))
  bench.say('the same beside a receiver that never answers and one that takes 9 s')
  const beside = await besideStuck(telling, () => measureLoad(telling, one))
  bench.say('additions to lists, as fast as possible, one endpoint')
  const single = await runs(bench, service, () => measureLoad(telling, many))
  bench.say('what waited in a suspended workspace')
  const waited = [await drain(telling)]
  for (let n = 2; n <= ENDPOINTS; n++) await addEndpoint(telling, `/${n}`, EVENTS)
  bench.say(`additions to lists, as fast as possible, ${ENDPOINTS} endpoints`)
  const all = await runs(bench, service, () => measureLoad(telling, { ...many, endpoints: ENDPOINTS }))
  const resident = await residentMb(service.pid)
  return [
    row(
      `webhooks${way}, ${SINGLE_RATE} events/s, each alone: statements an event`,
      '',
      figure(alone, ({ statements }) => statements),
      { target: { atMost: STATEMENTS_ONCE / 2 } },
    ),
    ...cpuRows(alone),
    row(`webhooks${way}, ${LIGHT_RATE} events/s: accepted to received, p95`, 'ms', age(light, 'p95'), { target: { atMost: 15 } }),
    row('  p50', 'ms', age(light, 'p50'), { target: { atMost: 5 } }),
    row(
      '  CPU an event, Node and Postgres',
      'ms',
      figure(light, ({ node, postgres }) => (node + postgres) / 1_000),
      { target: { atMost: 1.5 } },
    ),
    row(
      '  statements an event',
      '',
      figure(light, ({ statements }) => statements),
    ),
    ...(unit === null ? [] : [row('  CPU of a static answer of Fastify at that rate', 'ms', unit / 1_000)]),
    row(`webhooks${way}, ${RATE} events/s: accepted to received, p95`, 'ms', age(steady, 'p95'), { target: LATENCY }),
    row('  p50', 'ms', age(steady, 'p50')),
    row('  p99', 'ms', age(steady, 'p99')),
    row('  p95 beside one that never answers and one that takes 9 s', 'ms', age(beside, 'p95'), { target: LATENCY }),
    row(`webhooks${way}, one endpoint, as fast as possible: events accepted and delivered`, '/s', rate(single), {
      target: { atLeast: 2_000 },
    }),
    ...cpuRows(single),
    row(`webhooks${way}, what waited for one endpoint: delivered`, '/s', rate(waited)),
    ...cpuRows(waited),
    row(`webhooks${way}, ${ENDPOINTS} endpoints an event: delivered`, '/s', rate(all), { target: { atLeast: 5_000 } }),
    ...cpuRows(all),
    ...(resident === null ? [] : [row('  resident memory after it', 'MB', resident)]),
  ]
}

export const webhooks: Group = { name: 'webhooks', run: (bench) => webhookRows(bench) }
