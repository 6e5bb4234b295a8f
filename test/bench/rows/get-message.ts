import type { Bench, Group } from '../lib/bench.ts'
import { acceptMessages, idsIn, MESSAGES_PATH } from '../lib/messages.ts'
import { row } from '../lib/report.ts'
import { compare, medianOf, type Sides, startSides } from '../lib/sides.ts'

const MESSAGES = 2_000
const CONNECTIONS = 64

const plan =
  (bench: Bench, { workspace }: Sides, values: readonly string[]) =>
  (from: number) => ({
    method: 'GET' as const,
    path: `${MESSAGES_PATH}/{value}`,
    headers: workspace.headers,
    connections: CONNECTIONS,
    seconds: bench.seconds,
    from,
    values,
  })

/** One message by its id, over HTTP; the naive service answers from one SELECT by primary key. */
export const getMessage: Group = {
  name: 'get',
  run: async (bench) => {
    const sides = await startSides(bench)
    // The same messages on both sides.
    await acceptMessages(sides.tidings.url, sides.workspace, MESSAGES)
    await acceptMessages(sides.naive.url, sides.workspace, MESSAGES)
    const { databaseUrl } = sides.service
    const results = await compare(bench, sides, {
      tidings: plan(bench, sides, await idsIn(databaseUrl, 'read.messages')),
      naive: plan(bench, sides, await idsIn(databaseUrl, 'naive.message')),
    })
    const figures = (figure: Parameters<typeof medianOf>[1]) => ({
      value: medianOf(results.tidings, figure),
      baseline: medianOf(results.naive, figure),
    })
    const rate = figures(({ perSecond }) => perSecond)
    const p99 = figures((result) => result.p99)
    return [
      row('messages read by id', '/s', rate.value, { baseline: rate.baseline }),
      row('  p99', 'ms', p99.value, { baseline: p99.baseline }),
    ]
  },
}
