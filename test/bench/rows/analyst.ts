import type { Bench, Group } from '../lib/bench.ts'
import { runScript } from '../lib/children.ts'
import { startPostgres } from '../lib/postgres.ts'
import { median, type ReportRow, row } from '../lib/report.ts'
import type { AnalystAnswer, AnalystInput } from '../workers/analyst.ts'
import type { WriteLogAnswer, WriteLogInput } from '../workers/write-log.ts'

/** 10 000 contacts with 31 events each: the first is encrypted, and not opened. */
const LOG = { mix: 'plain', contacts: 10_000, first: 1, later: 30 } as const

const runsOf = async (bench: Bench, url: string, fold: AnalystInput['fold'], events: number): Promise<readonly AnalystAnswer[]> => {
  const runs: AnalystAnswer[] = []
  for (let run = 0; run <= bench.runs; run++) {
    const ran = await runScript<AnalystAnswer>('workers/analyst.ts', { url, fold } satisfies AnalystInput)
    if (ran.events !== events) throw new Error(`applied ${ran.events} of ${events} events`)
    const cpu = (ran.cpuSeconds * 1e6) / ran.events
    const figures = `${Math.round(ran.events / ran.seconds)}/s, CPU of Node ${cpu.toFixed(1)} µs an event, at most ${Math.round(ran.peakMb)} MB`
    bench.say(`by ${fold}, ${run === 0 ? 'warm-up' : `run ${run}`}: ${figures}`)
    if (run > 0) runs.push(ran)
  }
  return runs
}

const rowsOf = (name: string, runs: readonly AnalystAnswer[], atLeast?: number): readonly ReportRow[] => [
  row(name, 'events/s', median(runs.map(({ events, seconds }) => events / seconds)), atLeast === undefined ? {} : { target: { atLeast } }),
  row('  CPU of Node an event', 'µs', median(runs.map(({ events, cpuSeconds }) => (cpuSeconds * 1e6) / events))),
]

/** Events a second of an analyst's fold from the first event of the log, start and commit included, each run in a new process. */
export const analyst: Group = {
  name: 'analyst',
  run: async (bench): Promise<readonly ReportRow[]> => {
    const url = await startPostgres(bench)
    bench.say(`writing a log of ${LOG.contacts} contacts, ${LOG.first + LOG.later} events each`)
    const { events } = await runScript<WriteLogAnswer>('workers/write-log.ts', { url, ...LOG } satisfies WriteLogInput)
    return [
      ...rowsOf('projection run, a row a day', await runsOf(bench, url, 'day', events), 70_000),
      ...rowsOf('projection run, a row a contact', await runsOf(bench, url, 'contact', events)),
    ]
  },
}
