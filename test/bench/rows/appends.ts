import type { Group } from '../lib/bench.ts'
import { runScript } from '../lib/children.ts'
import { startPostgres } from '../lib/postgres.ts'
import { median, row } from '../lib/report.ts'
import type { AppendsAnswer, AppendsInput } from '../workers/appends.ts'

const CALLERS = [1, 16, 64, 256]
const TARGET = { atLeast: 25_000 }

/** Appends a second of the event store on Postgres, without encryption or HTTP. */
export const appends: Group = {
  name: 'appends',
  run: async (bench) => {
    const input: AppendsInput = { url: await startPostgres(bench), callers: CALLERS, seconds: bench.seconds, runs: bench.runs }
    const results = await runScript<AppendsAnswer>('workers/appends.ts', input)
    return results.map(({ callers, runs }) =>
      row(
        `event store appends, ${callers} ${callers === 1 ? 'caller' : 'callers'}`,
        '/s',
        median(runs.map(({ perSecond }) => perSecond)),
        callers === 64 ? { target: TARGET } : {},
      ),
    )
  },
}
