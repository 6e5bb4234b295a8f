import type { Bench, Group } from '../lib/bench.ts'
import { type ReportRow, row } from '../lib/report.ts'
import { type Compared, compare, medianOf, type Sides, startSides } from '../lib/sides.ts'

const KNOWN = 2_000
const CONNECTIONS = 64

/** The names of a large shop. None divides the number of contacts, so that 102 000 reports follow each other without a duplicate. */
const NAMES = Array.from({ length: 51 }, (_, n) => `shop.event-${n}`)

/** An event of a known contact that is no duplicate: no pair of contact and name comes twice in a minute below 1 700 a second. */
const BODY = JSON.stringify({
  event: '{value}',
  email: 'known{m}@example.com',
  properties: { orderId: 'order-{n}', total: 129.9, currency: 'ILS', items: [{ sku: 'A-1', quantity: 2 }] },
})

const plan =
  (bench: Bench, { workspace }: Sides) =>
  (from: number) => ({
    method: 'POST' as const,
    path: '/api/v1/events/ingest',
    headers: workspace.headers,
    connections: CONNECTIONS,
    seconds: bench.seconds,
    from,
    of: KNOWN,
    values: NAMES,
    body: BODY,
  })

const rowsOf = ({ tidings, naive }: Compared): readonly ReportRow[] => {
  const figures = (figure: Parameters<typeof medianOf>[1]) => ({ value: medianOf(tidings, figure), baseline: medianOf(naive, figure) })
  const rate = figures(({ perSecond }) => perSecond)
  const p99 = figures((result) => result.p99)
  const node = figures(({ nodeUs }) => nodeUs ?? Number.NaN)
  const postgres = figures(({ postgresUs }) => postgresUs ?? Number.NaN)
  const pending = tidings.reduce((sum, result) => sum + result.pending, 0)
  return [
    row('events ingested, known contacts', '/s', rate.value, { baseline: rate.baseline, target: { atLeast: 0.8 } }),
    row('  p99, events', 'ms', p99.value, { baseline: p99.baseline }),
    row('  answers before the read side, events', 'of all', pending, { target: { atMost: 0 } }),
    ...(Number.isNaN(node.value)
      ? []
      : [
          row('  CPU an event, Node', 'µs', node.value, { baseline: node.baseline }),
          row('  CPU an event, Postgres', 'µs', postgres.value, { baseline: postgres.baseline }),
        ]),
  ]
}

/** Events ingested a second over HTTP; the naive service stores the same body with one INSERT … ON CONFLICT DO NOTHING. */
export const ingest: Group = {
  name: 'ingest',
  run: async (bench) => {
    const sides = await startSides(bench)
    const toAll = plan(bench, sides)
    return rowsOf(await compare(bench, sides, { tidings: toAll, naive: toAll }))
  },
}
