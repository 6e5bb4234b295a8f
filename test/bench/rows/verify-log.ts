import { threadCount } from '@tidings/async/threads'
import type { Bench, Group } from '../lib/bench.ts'
import { runScript } from '../lib/children.ts'
import { startPostgres } from '../lib/postgres.ts'
import { median, type ReportRow, row } from '../lib/report.ts'
import type { VerifyLogAnswer, VerifyLogInput } from '../workers/verify-log.ts'
import type { WriteLogAnswer, WriteLogInput } from '../workers/write-log.ts'

/** 100 000 contacts with three events each, one after the other or apart; everything they hold is encrypted. */
const LOG = { mix: 'personal', contacts: 100_000, first: 2, later: 1 } as const

type Figures = Readonly<{ rate: number; cpu: number; peakMb: number }>

const figuresOf = async (bench: Bench, input: VerifyLogInput, events: number, what: string): Promise<Figures> => {
  const answer = await runScript<VerifyLogAnswer>('workers/verify-log.ts', input)
  if (answer.problems > 0 || answer.events !== events) throw new Error(`${what}: ${JSON.stringify(answer)} of ${events} events`)
  const figures = { rate: answer.events / answer.seconds, cpu: (answer.cpuSeconds * 1e6) / answer.events, peakMb: answer.peakMb }
  bench.say(
    `${what}: ${Math.round(figures.rate)}/s, CPU of Node ${figures.cpu.toFixed(1)} µs an event, ${input.threads} threads, at most ${Math.round(figures.peakMb)} MB`,
  )
  return figures
}

/** Events a second of `log verify` with a tree and a head, and of making that tree from a log that had none; each run in a new process. */
export const verifyLog: Group = {
  name: 'verify-log',
  run: async (bench): Promise<readonly ReportRow[]> => {
    const url = await startPostgres(bench)
    const cache = await bench.folder()
    bench.say(`writing a log of ${LOG.contacts} contacts`)
    const { events } = await runScript<WriteLogAnswer>('workers/write-log.ts', { url, ...LOG } satisfies WriteLogInput)
    const made = await figuresOf(bench, { url, grow: true, threads: 1, cache }, events, 'made')
    const runs: Figures[] = []
    for (let run = 0; run <= bench.runs; run++) {
      const figures = await figuresOf(
        bench,
        { url, grow: false, threads: threadCount(), cache },
        events,
        run === 0 ? 'warm-up' : `run ${run}`,
      )
      if (run > 0) runs.push(figures)
    }
    return [
      row('log verify, every event encrypted', 'events/s', median(runs.map(({ rate }) => rate)), { target: { atLeast: 100_000 } }),
      row('  CPU of Node an event', 'µs', median(runs.map(({ cpu }) => cpu))),
      row('  most memory of the process', 'MB', median(runs.map(({ peakMb }) => peakMb))),
      row('the tree of a log that had none', 'events/s', made.rate),
    ]
  },
}
