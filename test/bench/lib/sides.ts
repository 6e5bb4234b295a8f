import type { Bench } from './bench.ts'
import { load, startNaiveService } from './children.ts'
import { cpuSecondsOf, cpuSecondsOfTree } from './cpu.ts'
import type { LoadPlan, LoadResult } from './load-plan.ts'
import { median } from './report.ts'
import { type Service, startService } from './service.ts'
import { applyWorkspace, type Workspace } from './workspace.ts'

/** One of the two that are compared: where it listens, and whose CPU its requests cost. */
export type Side = Readonly<{ name: string; url: string; pid: number; postgresPid: number; toggleProfile?: () => void }>
export type Sides = Readonly<{ service: Service; workspace: Workspace; tidings: Side; naive: Side }>

/** The service with sending paused, and the naive one on the same Postgres with the same key. `env`: more settings. */
export async function startSides(bench: Bench, env: Readonly<Record<string, string>> = {}): Promise<Sides> {
  bench.say('starting the service (command-api, query-api, projectors) and the naive one')
  const service = await startService(bench, { dataDir: await bench.folder(), roles: ['command-api', 'query-api', 'projectors'], env })
  const workspace = await applyWorkspace(service)
  const naive = await startNaiveService(service.databaseUrl, workspace.key, workspace.slug)
  bench.after(naive.stop)
  const { postgresPid } = service
  return {
    service,
    workspace,
    tidings: { ...service, name: 'tidings' },
    naive: { name: 'naive', url: naive.url, pid: naive.pid, postgresPid },
  }
}

/** A load's result with what a request cost in CPU microseconds; null where the machine does not tell. */
export type Measured = LoadResult & Readonly<{ nodeUs: number | null; postgresUs: number | null; loadUs: number }>

const perRequest = (before: number | null, after: number | null, answered: number): number | null =>
  before === null || after === null ? null : ((after - before) * 1e6) / answered

export async function measure(side: Side, plan: Omit<LoadPlan, 'url'>): Promise<Measured> {
  const cpu = () => Promise.all([cpuSecondsOf(side.pid), cpuSecondsOfTree(side.postgresPid)])
  const [nodeBefore, postgresBefore] = await cpu()
  const result = await load({ ...plan, url: side.url })
  const [nodeAfter, postgresAfter] = await cpu()
  const { answered } = result
  return {
    ...result,
    nodeUs: perRequest(nodeBefore, nodeAfter, answered),
    postgresUs: perRequest(postgresBefore, postgresAfter, answered),
    loadUs: (result.cpuSeconds * 1e6) / answered,
  }
}

export type Compared = Readonly<{ tidings: readonly Measured[]; naive: readonly Measured[] }>

/** `plan` of each run; `from` continues, so that what is new stays new. */
type Plans = Readonly<Record<'tidings' | 'naive', (from: number) => Omit<LoadPlan, 'url'>>>

const line = (side: Side, { perSecond, p50, p99, nodeUs, postgresUs, loadUs, pending }: Measured): string =>
  `${side.name.padEnd(8)} ${Math.round(perSecond)}/s  p50 ${p50} ms  p99 ${p99} ms  CPU a request: node ${Math.round(nodeUs ?? 0)} µs, ` +
  `postgres ${Math.round(postgresUs ?? 0)} µs, load ${Math.round(loadUs)} µs${pending > 0 ? `  ${pending} pending` : ''}`

/** Cold code costs three times as much: V8 has seen enough of it after some 10 000 requests. */
const WARM_UP = 3

/** Warms both up, then A B A B …, as often as `runs`. */
export async function compare(bench: Bench, { tidings, naive }: Sides, plans: Plans): Promise<Compared> {
  const next = { tidings: 0, naive: 0 }
  const measured = { tidings: [] as Measured[], naive: [] as Measured[] }
  for (let run = 0; run <= bench.runs; run++) {
    for (const [which, side] of [['tidings', tidings] as const, ['naive', naive] as const]) {
      if (run > 0) side.toggleProfile?.()
      const plan = plans[which](next[which])
      const result = await measure(side, run === 0 ? { ...plan, seconds: WARM_UP * plan.seconds } : plan)
      if (run > 0) side.toggleProfile?.()
      next[which] = result.next
      bench.say(`${run === 0 ? 'warm-up' : `run ${run}  `} ${line(side, result)}`)
      if (run > 0) measured[which].push(result)
    }
  }
  return measured
}

/** The median over the runs of one figure. */
export function medianOf(results: readonly Measured[], figure: (result: Measured) => number): number {
  return median(results.map(figure))
}
