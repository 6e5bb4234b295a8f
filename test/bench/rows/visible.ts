import type { Bench, Group } from '../lib/bench.ts'
import { runScript } from '../lib/children.ts'
import { startPostgres } from '../lib/postgres.ts'
import { median, type ReportRow, row } from '../lib/report.ts'
import { startService } from '../lib/service.ts'
import type { Measured } from '../lib/sides.ts'
import { measure } from '../lib/sides.ts'
import { applyWorkspace } from '../lib/workspace.ts'
import type { VisibleAnswer, VisibleInput } from '../workers/visible.ts'

const CALLERS = 64
const PROFILES = 1_000

const inOneProcess = async (bench: Bench): Promise<readonly ReportRow[]> => {
  bench.say(`in one process, ${CALLERS} callers`)
  const input: VisibleInput = { url: await startPostgres(bench), callers: CALLERS, seconds: bench.seconds, runs: bench.runs }
  const { runs, pending } = await runScript<VisibleAnswer>('workers/visible.ts', input)
  if (pending > 0) throw new Error(`${pending} writes were not visible in time`)
  return [
    row('write to visible, p50', 'ms', median(runs.map(({ p50 }) => p50)), { target: { atMost: 5 } }),
    row('  p99', 'ms', median(runs.map(({ p99 }) => p99))),
    row('  writes', '/s', median(runs.map(({ perSecond }) => perSecond))),
  ]
}

/** PUT of a profile: its answer is what the read side shows. */
const overHttp = async (bench: Bench): Promise<readonly ReportRow[]> => {
  bench.say(`over HTTP, ${CALLERS} connections`)
  const service = await startService(bench, { dataDir: await bench.folder(), roles: ['command-api', 'query-api', 'projectors'] })
  const { headers } = await applyWorkspace(service)
  const side = { ...service, name: 'tidings' }
  const runs: Measured[] = []
  for (let run = 0, from = 0; run <= bench.runs; run++) {
    const body = JSON.stringify({ email: 'known{m}@example.com', firstName: 'Ada {n}' })
    const plan = { method: 'PUT' as const, path: '/api/v1/public/profiles', headers, connections: CALLERS, seconds: bench.seconds, body }
    if (run > 0) service.toggleProfile()
    const result = await measure(side, { ...plan, from, of: PROFILES })
    if (run > 0) service.toggleProfile()
    from = result.next
    bench.say(`${Math.round(result.perSecond)}/s, p50 ${result.p50} ms, p99 ${result.p99} ms, ${result.pending} pending`)
    if (run > 0) runs.push(result)
  }
  return [
    row('write to visible over HTTP, p50', 'ms', median(runs.map(({ p50 }) => p50))),
    row('  p99', 'ms', median(runs.map(({ p99 }) => p99))),
    row('  writes', '/s', median(runs.map(({ perSecond }) => perSecond))),
  ]
}

/** Measures the time from the call of a command until the projection shows its change. */
export const visible: Group = {
  name: 'visible',
  run: async (bench) => [...(await inOneProcess(bench)), ...(await overHttp(bench))],
}
