import { threadCount } from '@tidings/async/threads'
import type { ReadLogAnswer, ReadLogInput } from '../workers/read-log.ts'
import type { RebuildAnswer, RebuildInput } from '../workers/rebuild.ts'
import { runScript } from './children.ts'
import { bytesOf, type TableOnDisk, tablesOnDisk } from './disk.ts'
import type { GrownService } from './grown.ts'
import { LESS, type Measure, MORE } from './growth-figures.ts'
import { type ReportRow, row } from './report.ts'

const STREAMS = 500
const FEED = 50_000

/** The streams of events anywhere in the log, each read for the first time, and the feed, opened: in a process of its own. */
export const reading: Measure = async (_, { service, pool, written: { events } }) => {
  const places = Array.from({ length: STREAMS }, () => 1 + Math.floor(Math.random() * events))
  const { rows } = await pool.query<{ stream: string }>('select distinct stream_id as stream from es.event where position = any ($1)', [
    places,
  ])
  const count = Math.min(FEED, events >> 1)
  const from = [Math.min(events >> 1, events - count), events - count]
  const input: ReadLogInput = { url: service.databaseUrl, streams: rows.map(({ stream }) => stream), from, events: count }
  const { streamP50, streamP95, perSecond } = await runScript<ReadLogAnswer>('workers/read-log.ts', input)
  const [middle = Number.NaN, end = Number.NaN] = perSecond
  return [
    { name: 'a stream read, p50', unit: 'ms', value: streamP50, target: LESS },
    { name: '  p95', unit: 'ms', value: streamP95 },
    { name: 'the feed opened, from the middle', unit: 'events/s', value: middle, target: MORE },
    { name: '  from the end', unit: 'events/s', value: end, target: MORE },
  ]
}

/** `projection rebuild` beside the service, each in a new process. A small log shows what it costs to begin: only the large one's rate says more. */
export const rebuilding: Measure = async (_, { service: { databaseUrl: url }, events, written }) => {
  const threads = threadCount()
  const figures = []
  // A rebuild of messages opens nothing.
  for (const projection of events === written.events ? ['messages', 'profiles'] : ['messages']) {
    const built = await runScript<RebuildAnswer>('workers/rebuild.ts', { url, projection, threads } satisfies RebuildInput)
    if (built.parked > 0) throw new Error(`${built.parked} streams of ${projection} are parked`)
    figures.push(
      { name: `rebuild of ${projection}, events that concern it`, unit: 'events/s', value: built.events / built.seconds },
      { name: '  all of it', unit: 's', value: built.seconds },
      { name: '  CPU of Node an event', unit: 'µs', value: (built.cpuSeconds * 1e6) / built.events },
      { name: `  most memory of the process, ${threads} threads in all`, unit: 'MB', value: built.peakMb },
    )
  }
  return figures
}

const SHARE = 0.01
const CHANGED = 1_000

const sizes = (table: TableOnDisk, events: number): readonly ReportRow[] => [
  row(`${table.name}, all of it`, 'B/event', bytesOf(table) / events),
  row('  its rows', 'B/event', table.bytes / events),
  ...Object.entries(table.indices).map(([index, bytes]) => row(`  ${index}`, 'B/event', bytes / events)),
]

/** What the disk holds for an event of the log, and of the tables that change most what waits to be vacuumed. */
export async function onDisk({ pool, events }: GrownService): Promise<readonly ReportRow[]> {
  const tables = await tablesOnDisk(pool)
  const all = tables.reduce((sum, table) => sum + bytesOf(table), 0)
  const large = tables.filter((table) => bytesOf(table) > SHARE * all)
  const hot = tables.filter(({ changed, live, dead }) => changed > CHANGED && changed > live + dead)
  return [
    row('on disk', 'MB', all / 1e6),
    ...large.flatMap((table) => sizes(table, events)),
    ...hot.flatMap((table) => [
      row(`${table.name}: rows changed`, '', table.changed),
      row('  rows there, dead rows', '', table.live, { baseline: table.dead }),
      row('  on disk, autovacuums', 'kB', bytesOf(table) / 1e3, { baseline: table.autovacuums }),
    ]),
  ]
}
