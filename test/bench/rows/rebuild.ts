import type { Bench, Group } from '../lib/bench.ts'
import { runScript } from '../lib/children.ts'
import { startPostgres } from '../lib/postgres.ts'
import { median, type Row, row } from '../lib/report.ts'
import type { RebuildAnswer, RebuildInput } from '../workers/rebuild.ts'
import type { WriteLogAnswer, WriteLogInput } from '../workers/write-log.ts'

type Log = Omit<WriteLogInput, 'url'>

/** 300 000 events, five of each contact, all of them encrypted; and 310 000 of which only the 10 000 creations are. */
const PERSONAL: Log = { mix: 'personal', contacts: 60_000, rounds: 4 }
const PLAIN: Log = { mix: 'plain', contacts: 10_000, rounds: 30 }

const rebuildOf = async (bench: Bench, log: Log): Promise<number> => {
  const url = await startPostgres(bench)
  bench.say(`writing a log of ${log.contacts} contacts, ${log.rounds + 1} events each`)
  const written = await runScript<WriteLogAnswer>('workers/write-log.ts', { url, ...log } satisfies WriteLogInput)
  const rates: number[] = []
  for (let run = 0; run <= bench.runs; run++) {
    const rebuilt = await runScript<RebuildAnswer>('workers/rebuild.ts', { url, projection: 'profiles' } satisfies RebuildInput)
    if (rebuilt.parked > 0 || rebuilt.events < written.events)
      throw new Error(`rebuilt ${JSON.stringify(rebuilt)} of ${written.events} events`)
    const rate = rebuilt.events / rebuilt.seconds
    const cpu = (rebuilt.cpuSeconds * 1e6) / rebuilt.events
    bench.say(
      `${run === 0 ? 'warm-up' : `run ${run}`}: ${rebuilt.events} events, ${Math.round(rate)}/s, CPU of Node ${cpu.toFixed(1)} µs an event`,
    )
    if (run > 0) rates.push(rate)
  }
  return median(rates)
}

/** Events a second of `projection rebuild profiles`, swap included, each run in a fresh process. */
export const rebuild: Group = {
  name: 'rebuild',
  run: async (bench): Promise<readonly Row[]> => [
    row('rebuild, every event decrypted', 'events/s', await rebuildOf(bench, PERSONAL), { target: { atLeast: 70_000 } }),
    row('rebuild, nothing encrypted but creations', 'events/s', await rebuildOf(bench, PLAIN), { target: { atLeast: 100_000 } }),
  ],
}
