import { loadavg } from 'node:os'
import type { Bench, Group } from '../lib/bench.ts'
import { runScript } from '../lib/children.ts'
import { startPostgres } from '../lib/postgres.ts'
import { median, type ReportRow, row } from '../lib/report.ts'
import type { ExportAnswer, ExportInput } from '../workers/export.ts'
import type { WriteLogAnswer, WriteLogInput } from '../workers/write-log.ts'

/** 100 000 contacts: created and changed in one append, and changed once more, later; everything they hold is encrypted. */
const LOG: Omit<WriteLogInput, 'url'> = { mix: 'personal', contacts: 100_000, first: 2, later: 1 }

type Exporting = Omit<ExportInput, 'url'> & Readonly<{ name: string; atLeast?: number }>

const EXPORTS: readonly Exporting[] = [
  { name: 'log export, sealed, NDJSON', format: 'ndjson', sealed: true, atLeast: 100_000 },
  { name: 'log export, opened, NDJSON', format: 'ndjson', sealed: false, atLeast: 50_000 },
  { name: 'log export, sealed, Parquet', format: 'parquet', sealed: true },
  { name: 'log export, opened, Parquet', format: 'parquet', sealed: false },
]

const rowsOf = async (bench: Bench, url: string, { name, atLeast, ...how }: Exporting, written: number): Promise<readonly ReportRow[]> => {
  const runs: ExportAnswer[] = []
  for (let run = 0; run <= bench.runs; run++) {
    const exported = await runScript<ExportAnswer>('workers/export.ts', { url, ...how } satisfies ExportInput)
    if (exported.events !== written) throw new Error(`exported ${JSON.stringify(exported)} of ${written} events`)
    const { events, seconds, cpuSeconds, peakMb, fileMb } = exported
    const figures = `${Math.round(events / seconds)}/s, ${((cpuSeconds * 1e6) / events).toFixed(1)} µs of Node's CPU an event, at most ${Math.round(peakMb)} MB, file ${Math.round(fileMb)} MB`
    bench.say(`${name}, ${run === 0 ? 'warm-up' : `run ${run}`}: ${figures}; load ${loadavg()[0]?.toFixed(1)}`)
    if (run > 0) runs.push(exported)
  }
  const rate = median(runs.map(({ events, seconds }) => events / seconds))
  const cpu = median(runs.map(({ events, cpuSeconds }) => (cpuSeconds * 1e6) / events))
  return [
    row(name, 'events/s', rate, atLeast === undefined ? {} : { target: { atLeast } }),
    row('  CPU of Node an event', 'µs', cpu),
    row('  most memory of the process', 'MB', median(runs.map(({ peakMb }) => peakMb))),
  ]
}

/** Events a second of `log export` of a whole log, each run in a new process. */
export const exporting: Group = {
  name: 'export',
  run: async (bench): Promise<readonly ReportRow[]> => {
    const url = await startPostgres(bench)
    bench.say(`writing a log of ${LOG.contacts} contacts, ${LOG.first + LOG.later} events each`)
    const { events } = await runScript<WriteLogAnswer>('workers/write-log.ts', { url, ...LOG } satisfies WriteLogInput)
    const rows: ReportRow[] = []
    for (const one of EXPORTS) rows.push(...(await rowsOf(bench, url, one, events)))
    return rows
  },
}
