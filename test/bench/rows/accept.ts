import type { Bench, Group } from '../lib/bench.ts'
import { type Row, row } from '../lib/report.ts'
import { type Compared, compare, medianOf, type Sides, startSides } from '../lib/sides.ts'
import { emailTo } from '../lib/workspace.ts'

const KNOWN = 2_000
const CONNECTIONS = 64

const plan =
  (bench: Bench, { workspace }: Sides, to: string) =>
  (from: number) => ({
    method: 'POST' as const,
    path: '/api/v1/public/messages/email',
    headers: workspace.headers,
    connections: CONNECTIONS,
    seconds: bench.seconds,
    from,
    of: KNOWN,
    body: emailTo(to),
  })

const rowsOf = (recipients: string, { tidings, naive }: Compared): readonly Row[] => {
  const figures = (figure: Parameters<typeof medianOf>[1]) => ({ value: medianOf(tidings, figure), baseline: medianOf(naive, figure) })
  const rate = figures(({ perSecond }) => perSecond)
  const p99 = figures((result) => result.p99)
  const node = figures(({ nodeUs }) => nodeUs ?? Number.NaN)
  const postgres = figures(({ postgresUs }) => postgresUs ?? Number.NaN)
  const pending = tidings.reduce((sum, result) => sum + result.pending, 0)
  return [
    row(`emails accepted, ${recipients} recipients`, '/s', rate.value, { baseline: rate.baseline, target: { atLeast: 1.5 } }),
    row(`  p99, ${recipients} recipients`, 'ms', p99.value, { baseline: p99.baseline, target: { below: 1 } }),
    row(`  answers before the read side, ${recipients} recipients`, 'of all', pending, { target: { atMost: 0 } }),
    ...(Number.isNaN(node.value)
      ? []
      : [
          row(`  CPU an email, Node, ${recipients} recipients`, 'µs', node.value, { baseline: node.baseline }),
          row(`  CPU an email, Postgres, ${recipients} recipients`, 'µs', postgres.value, { baseline: postgres.baseline }),
        ]),
  ]
}

/** Emails accepted a second over HTTP, sending held back; the naive service stores the same body with one INSERT. */
export const accept: Group = {
  name: 'accept',
  run: async (bench) => {
    const sides = await startSides(bench)
    const rows: Row[] = []
    for (const [recipients, to] of [
      ['known', 'known{m}@example.com'],
      ['new', 'new{n}@example.com'],
    ] as const) {
      bench.say(`${recipients} recipients, ${CONNECTIONS} connections`)
      const toAll = plan(bench, sides, to)
      rows.push(...rowsOf(recipients, await compare(bench, sides, { tidings: toAll, naive: toAll })))
    }
    return rows
  },
}
