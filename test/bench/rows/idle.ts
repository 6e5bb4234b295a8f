import { setTimeout as sleep } from 'node:timers/promises'
import type { Group } from '../lib/bench.ts'
import { cpuSecondsOf, cpuSecondsOfTree } from '../lib/cpu.ts'
import { median, type ReportRow, row } from '../lib/report.ts'
import { startCounted } from '../lib/statements.ts'

/** The wait after a start, until plans, caches and first looks are over. */
const SETTLE_MS = 15_000
/** Times the seconds of one figure: rounds of a quarter of a minute are among what is counted. */
const TIMES = 10

type Idle = Readonly<{ statements: number; node: number; postgres: number }>

/** What a default start (all roles, embedded Postgres) costs that gets no request. */
export const idle: Group = {
  name: 'idle',
  run: async (bench): Promise<readonly ReportRow[]> => {
    const service = await startCounted(bench, { dataDir: await bench.folder() })
    await sleep(SETTLE_MS)
    const now = async (): Promise<Idle> => ({
      statements: await service.statements(),
      node: (await cpuSecondsOf(service.pid)) ?? Number.NaN,
      postgres: (await cpuSecondsOfTree(service.postgresPid)) ?? Number.NaN,
    })
    const seconds = TIMES * bench.seconds
    const measured: Idle[] = []
    for (let run = 0; run < bench.runs; run++) {
      const before = await now()
      await sleep(seconds * 1_000)
      const after = await now()
      const spent = (of: (idle: Idle) => number): number => (of(after) - of(before)) / seconds
      measured.push({ statements: spent((one) => one.statements), node: spent((one) => one.node), postgres: spent((one) => one.postgres) })
    }
    const figure = (of: (idle: Idle) => number): number => median(measured.map(of))
    return [
      row(
        'idle: statements',
        '/s',
        figure((one) => one.statements),
        { target: { atMost: 5 } },
      ),
      row(
        '  CPU of a core, Node',
        '%',
        figure((one) => one.node * 100),
        { target: { atMost: 0.5 } },
      ),
      row(
        '  CPU of a core, Postgres',
        '%',
        figure((one) => one.postgres * 100),
        { target: { atMost: 0.5 } },
      ),
    ]
  },
}
