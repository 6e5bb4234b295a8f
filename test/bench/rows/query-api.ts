import type { Bench, Group } from '../lib/bench.ts'
import { load, startScript, stopChild } from '../lib/children.ts'
import { cpuSecondsOf, cpuSecondsOfTree } from '../lib/cpu.ts'
import { acceptMessages, idsIn, MESSAGES_PATH } from '../lib/messages.ts'
import { median, type ReportRow, row } from '../lib/report.ts'
import { type Service, startService } from '../lib/service.ts'
import { applyWorkspace, type Workspace } from '../lib/workspace.ts'

const MESSAGES = 2_000
const CONNECTIONS = 64

/** What takes a request on its way: the gateway, the processes behind it, and Postgres. */
type ReadWay = Readonly<{ url: string; gateway: number; readers: readonly number[]; postgres: number }>
export type Figures = Readonly<{ perSecond: number; p99: number; readerUs: number; gatewayUs: number; postgresUs: number; loadUs: number }>
export type Reads = Readonly<{ path: string; values?: readonly string[] }>

const seconds = async (pids: readonly number[], of = cpuSecondsOf): Promise<number> =>
  (await Promise.all(pids.map(of))).reduce<number>((sum, used) => sum + (used ?? 0), 0)

const cpuOf = ({ gateway, readers, postgres }: ReadWay) =>
  Promise.all([seconds(readers), seconds([gateway]), seconds([postgres], cpuSecondsOfTree)])

const measure = async (way: ReadWay, { path, values }: Reads, { headers }: Workspace, forSeconds: number): Promise<Figures> => {
  const before = await cpuOf(way)
  const plan = { url: way.url, method: 'GET', path, headers, connections: CONNECTIONS, seconds: forSeconds, from: 0 } as const
  const { perSecond, p99, answered, cpuSeconds } = await load({ ...plan, ...(values && { values }) })
  const [readerUs = 0, gatewayUs = 0, postgresUs = 0] = (await cpuOf(way)).map((after, n) => ((after - (before[n] ?? 0)) * 1e6) / answered)
  return { perSecond, p99, readerUs, gatewayUs, postgresUs, loadUs: (cpuSeconds * 1e6) / answered }
}

const line = (readers: number, path: string, { perSecond, p99, readerUs, gatewayUs, postgresUs, loadUs }: Figures): string =>
  `${readers} of query-api, ${path}: ${Math.round(perSecond)}/s  p99 ${p99} ms  CPU a request: query-api ${Math.round(readerUs)} µs, ` +
  `gateway ${Math.round(gatewayUs)} µs, postgres ${Math.round(postgresUs)} µs, load ${Math.round(loadUs)} µs`

/** A gateway in front of these processes. */
export async function wayTo(bench: Bench, service: Service, readers: readonly Service[]): Promise<ReadWay> {
  const { child, nextLine } = startScript('workers/gateway.ts', [service.url, ...readers.map(({ url }) => url)])
  bench.after(() => stopChild(child))
  return { url: await nextLine(), gateway: child.pid ?? 0, readers: readers.map(({ pid }) => pid), postgres: service.postgresPid }
}

/** Warms both ways up, then one, two, one, two …, as often as `runs`. */
export async function compareWays(
  bench: Bench,
  ways: readonly ReadWay[],
  reads: Reads,
  workspace: Workspace,
): Promise<readonly (readonly Figures[])[]> {
  const all: Figures[][] = ways.map(() => [])
  for (let run = 0; run <= bench.runs; run++) {
    for (const [n, way] of ways.entries()) {
      const figures = await measure(way, reads, workspace, bench.seconds)
      bench.say(`${run === 0 ? 'warm-up' : `run ${run}  `} ${line(way.readers.length, reads.path, figures)}`)
      if (run > 0) all[n]?.push(figures)
    }
  }
  return all
}

const rowsOf = (name: string, [one = [], two = []]: readonly (readonly Figures[])[]): readonly ReportRow[] => {
  const of = (results: readonly Figures[], figure: (result: Figures) => number) => median(results.map(figure))
  const pair = (figure: (result: Figures) => number) => ({ value: of(two, figure), baseline: of(one, figure) })
  const rate = pair(({ perSecond }) => perSecond)
  const cpu = pair(({ readerUs }) => readerUs)
  return [
    row(`${name}, two processes of query-api to one`, '/s', rate.value, { baseline: rate.baseline }),
    row('  CPU of query-api a request', 'µs', cpu.value, { baseline: cpu.baseline }),
  ]
}

/** One process of `query-api` behind a gateway, and two of them: reads by id, and pages of a list. */
export const queryApi: Group = {
  name: 'query-api',
  run: async (bench) => {
    const service = await startService(bench, { dataDir: await bench.folder(), roles: ['command-api', 'projectors'] })
    const workspace = await applyWorkspace(service)
    await acceptMessages(service.url, workspace, MESSAGES)
    const values = await idsIn(service.databaseUrl, 'read.messages')
    const reader = async () => {
      const env = { TIDINGS_DATABASE_URL: service.databaseUrl }
      return await startService(bench, { dataDir: await bench.folder(), roles: ['query-api'], env, postgresOf: service })
    }
    const readers = [await reader(), await reader()]
    const ways = [await wayTo(bench, service, readers.slice(0, 1)), await wayTo(bench, service, readers)]
    const byId = await compareWays(bench, ways, { path: `${MESSAGES_PATH}/{value}`, values }, workspace)
    const pages = await compareWays(bench, ways, { path: `${MESSAGES_PATH}?limit=20` }, workspace)
    return [...rowsOf('messages read by id', byId), ...rowsOf('pages of 20 messages', pages)]
  },
}
