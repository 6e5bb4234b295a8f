import { threadCount } from '@tidings/async/threads'
import type { Bench, Group } from '../lib/bench.ts'
import { runScript } from '../lib/children.ts'
import { startPostgres } from '../lib/postgres.ts'
import { median, type ReportRow, row } from '../lib/report.ts'
import type { RebuildAnswer, RebuildInput } from '../workers/rebuild.ts'
import type { WriteLogAnswer, WriteLogInput } from '../workers/write-log.ts'

type Log = Omit<WriteLogInput, 'url'>

/** 100 000 contacts: created and changed in one append, and changed once more, later; everything they hold is encrypted. */
const PERSONAL: Log = { mix: 'personal', contacts: 100_000, first: 2, later: 1 }
/** 60 000 contacts whose five events lie far apart: every event needs a key, and most a row, that is in no cache. */
const APART: Log = { mix: 'personal', contacts: 60_000, first: 1, later: 4 }
/** 10 000 contacts with 30 events each of which none is encrypted, after the one that is. */
const PLAIN: Log = { mix: 'plain', contacts: 10_000, first: 1, later: 30 }

/** Events a second, and the most memory of the process in MB: medians of the runs. */
type Rebuilding = Readonly<{ rate: number; peakMb: number }>

const threads = threadCount()

const rebuildOf = async (bench: Bench, log: Log): Promise<Rebuilding> => {
  const url = await startPostgres(bench)
  bench.say(`writing a log of ${log.contacts} contacts, ${log.first + log.later} events each`)
  const written = await runScript<WriteLogAnswer>('workers/write-log.ts', { url, ...log } satisfies WriteLogInput)
  const runs: Rebuilding[] = []
  for (let run = 0; run <= bench.runs; run++) {
    const rebuilt = await runScript<RebuildAnswer>('workers/rebuild.ts', { url, projection: 'profiles', threads } satisfies RebuildInput)
    if (rebuilt.parked > 0 || rebuilt.events < written.events)
      throw new Error(`rebuilt ${JSON.stringify(rebuilt)} of ${written.events} events`)
    const { peakMb } = rebuilt
    const rate = rebuilt.events / rebuilt.seconds
    const cpu = (rebuilt.cpuSeconds * 1e6) / rebuilt.events
    const figures = `${rebuilt.events} events in ${threads} threads, ${Math.round(rate)}/s, CPU of Node ${cpu.toFixed(1)} µs an event, at most ${Math.round(peakMb)} MB`
    bench.say(`${run === 0 ? 'warm-up' : `run ${run}`}: ${figures}`)
    if (run > 0) runs.push({ rate, peakMb })
  }
  return { rate: median(runs.map(({ rate }) => rate)), peakMb: median(runs.map(({ peakMb }) => peakMb)) }
}

const rowsOf = (name: string, { rate, peakMb }: Rebuilding, atLeast?: number): readonly ReportRow[] => [
  row(name, 'events/s', rate, atLeast === undefined ? {} : { target: { atLeast } }),
  row(`  most memory of the process, ${threads} threads in all`, 'MB', peakMb, { target: { atMost: 512 } }),
]

/** Events a second of `projection rebuild profiles`, swap included, and its memory, each run in a new process. */
export const rebuild: Group = {
  name: 'rebuild',
  run: async (bench): Promise<readonly ReportRow[]> => [
    ...rowsOf('rebuild, every event decrypted', await rebuildOf(bench, PERSONAL), 70_000),
    ...rowsOf('rebuild, a contact’s events far apart', await rebuildOf(bench, APART)),
    ...rowsOf('rebuild, nothing encrypted but creations', await rebuildOf(bench, PLAIN), 150_000),
  ],
}
