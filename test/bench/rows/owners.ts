import { projections } from '@tidings/projectors'
import type { Bench, Group } from '../lib/bench.ts'
import { runScript } from '../lib/children.ts'
import { startPostgres } from '../lib/postgres.ts'
import { type ReportRow, row } from '../lib/report.ts'
import type { BesideFlood, BesideFloodInput } from '../workers/beside-flood.ts'
import type { FollowAloneInput, Followed } from '../workers/follow-alone.ts'
import type { WriteHistoryAnswer, WriteHistoryInput } from '../workers/write-history.ts'

const SIZES = {
  full: { events: 300_000, flood: 150_000 },
  small: { events: 45_000, flood: 30_000 },
} as const

/** Shares of what the log takes, at which one workspace writes; the last is all of it. */
const SHARES = [0.25, 0.5, 1]

const alone = async (bench: Bench): Promise<readonly ReportRow[]> => {
  const url = await startPostgres(bench)
  const { events } = SIZES[bench.size]
  bench.say(`writing a log of ${events} events`)
  const written = await runScript<WriteHistoryAnswer>('workers/write-history.ts', { url, events } satisfies WriteHistoryInput)
  const names = projections.map(({ name }) => name)
  const followed = await runScript<readonly Followed[]>('workers/follow-alone.ts', { url, projections: names } satisfies FollowAloneInput)
  return [
    row('the log takes', 'events/s', written.perSecond),
    ...followed.flatMap(({ projection, seconds, node, postgres }) => [
      row(`${projection}, followed by one owner`, 'events/s', written.events / seconds),
      row('  CPU of Node an event', 'µs', (node * 1e6) / written.events),
      ...(postgres === null ? [] : [row('  of Postgres', 'µs', (postgres * 1e6) / written.events)]),
    ]),
  ]
}

const besideRows = (what: string, { written, p50, p99, most, writes, behindSeconds }: BesideFlood): readonly ReportRow[] => [
  row(`${what}: events written`, '/s', written),
  row(`  a write of a neighbour can be read, ${writes} of them, p50`, 'ms', p50),
  row('    p99', 'ms', p99),
  row('    the last of them', 'ms', most),
  row('  projections show the last event after', 's', behindSeconds),
]

const beside = async (bench: Bench, flood: BesideFloodInput['flood']): Promise<BesideFlood> => {
  const url = await startPostgres(bench)
  return await runScript<BesideFlood>('workers/beside-flood.ts', { url, flood } satisfies BesideFloodInput)
}

/** Where one owner of a projection is the limit, and what the flood of one workspace does to the time until another can read what it wrote. */
export const owners: Group = {
  name: 'owners',
  run: async (bench) => {
    const rows: ReportRow[] = [...(await alone(bench)), ...besideRows('no flood', await beside(bench, null))]
    const events = SIZES[bench.size].flood
    const all = await beside(bench, { events })
    for (const share of SHARES) {
      const perSecond = all.written * share
      bench.say(`a flood of ${Math.round(perSecond)} events/s`)
      rows.push(...besideRows(`a flood of ${share * 100} %`, share === 1 ? all : await beside(bench, { events, perSecond })))
    }
    return rows
  },
}
