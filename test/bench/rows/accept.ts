import type { Bench, Group } from '../lib/bench.ts'
import { type ReportRow, row } from '../lib/report.ts'
import { type Compared, compare, medianOf, type Sides, startSides } from '../lib/sides.ts'
import { emailTo, smsTo } from '../lib/workspace.ts'

const KNOWN = 2_000
const CONNECTIONS = 64

/** One channel of messages. `to`: a recipient by `{m}`, which repeats, or `{n}`, which does not. */
type Channel = Readonly<{ one: string; many: string; path: string; to: (of: string) => string; body: (to: string) => string }>

const EMAIL: Channel = {
  one: 'an email',
  many: 'emails',
  path: '/api/v1/public/messages/email',
  to: (of) => `to${of}@example.com`,
  body: emailTo,
}
const SMS: Channel = { one: 'a text', many: 'texts', path: '/api/v1/public/messages/sms', to: (of) => `+9725000${of}`, body: smsTo }

const plan =
  (bench: Bench, { workspace }: Sides, { channel, of }: Readonly<{ channel: Channel; of: string }>) =>
  (from: number) => ({
    method: 'POST' as const,
    path: channel.path,
    headers: workspace.headers,
    connections: CONNECTIONS,
    seconds: bench.seconds,
    from,
    of: KNOWN,
    body: channel.body(channel.to(of)),
  })

const rowsOf = ({ one, many }: Channel, recipients: string, { tidings, naive }: Compared): readonly ReportRow[] => {
  const figures = (figure: Parameters<typeof medianOf>[1]) => ({ value: medianOf(tidings, figure), baseline: medianOf(naive, figure) })
  const rate = figures(({ perSecond }) => perSecond)
  const p99 = figures((result) => result.p99)
  const node = figures(({ nodeUs }) => nodeUs ?? Number.NaN)
  const postgres = figures(({ postgresUs }) => postgresUs ?? Number.NaN)
  const pending = tidings.reduce((sum, result) => sum + result.pending, 0)
  return [
    row(`${many} accepted, ${recipients} recipients`, '/s', rate.value, { baseline: rate.baseline, target: { atLeast: 1.5 } }),
    row(`  p99, ${recipients} recipients`, 'ms', p99.value, { baseline: p99.baseline, target: { below: 1 } }),
    row(`  answers before the read side, ${recipients} recipients`, 'of all', pending, { target: { atMost: 0 } }),
    ...(Number.isNaN(node.value)
      ? []
      : [
          row(`  CPU ${one}, Node, ${recipients} recipients`, 'µs', node.value, { baseline: node.baseline }),
          row(`  CPU ${one}, Postgres, ${recipients} recipients`, 'µs', postgres.value, { baseline: postgres.baseline }),
        ]),
  ]
}

const accepting = (name: string, channel: Channel): Group => ({
  name,
  run: async (bench) => {
    const sides = await startSides(bench)
    const rows: ReportRow[] = []
    for (const [recipients, of] of [
      ['known', '1{m}'],
      ['new', '2{n}'],
    ] as const) {
      bench.say(`${channel.many} to ${recipients} recipients, ${CONNECTIONS} connections`)
      const toAll = plan(bench, sides, { channel, of })
      rows.push(...rowsOf(channel, recipients, await compare(bench, sides, { tidings: toAll, naive: toAll })))
    }
    return rows
  },
})

/** Emails accepted a second over HTTP, sending paused; the naive service stores the same body with one INSERT. */
export const accept: Group = accepting('accept', EMAIL)

/** The same with text messages, whose price the wallet must have. */
export const acceptSms: Group = accepting('accept-sms', SMS)
