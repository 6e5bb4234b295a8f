import { createPool } from '@tidings/postgres'
import type { Bench, Group } from '../lib/bench.ts'
import { row } from '../lib/report.ts'
import { compare, medianOf, type Side, type Sides, startSides } from '../lib/sides.ts'
import { emailTo } from '../lib/workspace.ts'

const MESSAGES = 2_000
const CONNECTIONS = 64
const PATH = '/api/v1/public/messages'

/** The same messages on both sides. */
const send = async (side: Side, { workspace }: Sides): Promise<void> => {
  const sender = async (first: number): Promise<void> => {
    for (let n = first; n < MESSAGES; n += CONNECTIONS) {
      const body = emailTo(`known${n % 500}@example.com`)
      const answer = await fetch(`${side.url}${PATH}/email`, { method: 'POST', headers: workspace.headers, body })
      if (answer.status !== 202) throw new Error(`${side.name} answered ${answer.status}: ${await answer.text()}`)
      await answer.arrayBuffer()
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, n) => sender(n)))
}

const idsIn = async (databaseUrl: string, table: string): Promise<readonly string[]> => {
  const pool = createPool({ url: databaseUrl, max: 1, name: 'bench' })
  try {
    const { rows } = await pool.query<{ id: string }>(`select id from ${table} order by random() limit 1000`)
    return rows.map(({ id }) => id)
  } finally {
    await pool.end()
  }
}

const plan =
  (bench: Bench, { workspace }: Sides, values: readonly string[]) =>
  (from: number) => ({
    method: 'GET' as const,
    path: `${PATH}/{value}`,
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
    await send(sides.tidings, sides)
    await send(sides.naive, sides)
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
