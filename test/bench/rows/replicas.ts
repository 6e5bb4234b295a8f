import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { migrate } from '@tidings/postgres'
import { patientPool, startTestPostgres, startTestReplica } from '@tidings/testing'
import type { Bench, Group } from '../lib/bench.ts'
import { load } from '../lib/children.ts'
import { acceptMessages, idsIn, MESSAGES_PATH } from '../lib/messages.ts'
import { median, type ReportRow, row } from '../lib/report.ts'
import { type Service, startService } from '../lib/service.ts'
import { applyWorkspace, type Workspace } from '../lib/workspace.ts'
import { compareWays, type Figures, type Reads, wayTo } from './query-api.ts'

const MESSAGES = 2_000
const WRITERS = 16
const PROFILES = 1_000
/** A replica is read 2 s after it is fit, and the first look comes with the start. */
const SETTLED_MS = 5_000

type Servers = Readonly<{ primary: Readonly<{ databaseUrl: string; postgresPid: number }>; replicas: string }>

const startServers = async (bench: Bench): Promise<Servers> => {
  const primary = await startTestPostgres({ settings: { wal_keep_size: '1GB' } })
  bench.after(() => primary.stop())
  const pool = patientPool({ url: primary.url, max: 1, name: 'bench' })
  await migrate(pool)
  await pool.end()
  const replicas = [await startTestReplica(primary), await startTestReplica(primary)]
  for (const replica of replicas) bench.after(() => replica.stop())
  const postgresPid = Number.parseInt(await readFile(join(primary.folder, 'postmaster.pid'), 'utf8'), 10)
  return { primary: { databaseUrl: primary.url, postgresPid }, replicas: replicas.map(({ url }) => url).join(',') }
}

/** Reads since the start of these processes, by what answered them: a replica that was behind left them to the primary. */
const answered = async (readers: readonly Service[]): Promise<Readonly<{ byReplicas: number; all: number }>> => {
  const texts = await Promise.all(readers.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()))
  const found = texts.flatMap((text) => [...text.matchAll(/^tidings_reads_answered\{server="(.*)"\} (\d+)$/gm)])
  const sum = (some: readonly RegExpExecArray[]): number => some.reduce((total, [, , count]) => total + Number(count), 0)
  return { byReplicas: sum(found.filter(([, server]) => server !== 'primary')), all: sum(found) }
}

/** Compares the ways, and how much of the reads on replicas was read there. */
const compareReads = async (readers: readonly Service[], compare: () => ReturnType<typeof compareWays>) => {
  const before = await answered(readers)
  const figures = await compare()
  const after = await answered(readers)
  return { figures, share: (after.byReplicas - before.byReplicas) / (after.all - before.all) }
}

const readRows = (name: string, { figures, share }: Awaited<ReturnType<typeof compareReads>>): readonly ReportRow[] => {
  const [primary = [], replicas = []] = figures
  const pair = (figure: (result: Figures) => number) => [median(replicas.map(figure)), { baseline: median(primary.map(figure)) }] as const
  return [
    row(`${name}, two of query-api on replicas to one on the primary`, '/s', ...pair(({ perSecond }) => perSecond)),
    row('  p99', 'ms', ...pair(({ p99 }) => p99)),
    row('  CPU of query-api a read', 'µs', ...pair(({ readerUs }) => readerUs)),
    row('  CPU of the primary a read', 'µs', ...pair(({ postgresUs }) => postgresUs)),
    row('  answered by a replica', '%', 100 * share),
  ]
}

type Writing = Readonly<{ name: string; service: Service; workspace: Workspace }>

/** A `PUT` is answered when reads show it: on the primary, or on both replicas too. */
const writeAlternately = async (bench: Bench, sides: readonly Writing[]): Promise<readonly ReportRow[]> => {
  const took = sides.map((): Readonly<{ p50: number; p99: number }>[] => [])
  const body = JSON.stringify({ email: 'known{m}@example.com', firstName: 'Ada {n}' })
  for (let run = 0, from = 0; run <= bench.runs; run++) {
    for (const [n, { name, service, workspace }] of sides.entries()) {
      const plan = { url: service.url, method: 'PUT', path: '/api/v1/public/profiles', headers: workspace.headers, body } as const
      const { p50, p99, pending, next } = await load({ ...plan, connections: WRITERS, seconds: bench.seconds, from, of: PROFILES })
      from = next
      bench.say(`${run === 0 ? 'warm-up' : `run ${run}`}: shown on ${name}, p50 ${p50} ms, p99 ${p99} ms, ${pending} pending`)
      if (run > 0) took[n]?.push({ p50, p99 })
    }
  }
  const [primary = [], replicas = []] = took
  const pair = (figure: (one: Readonly<{ p50: number; p99: number }>) => number) =>
    [median(replicas.map(figure)), { baseline: median(primary.map(figure)) }] as const
  return [
    row('a write until it can be read on two replicas, to the primary alone, p50', 'ms', ...pair(({ p50 }) => p50)),
    row('  p99', 'ms', ...pair(({ p99 }) => p99)),
  ]
}

/** Reads on two replicas beside reads on the primary, and what writes wait for them. */
export const replicaReads: Group = {
  name: 'replicas',
  run: async (bench) => {
    const { primary, replicas } = await startServers(bench)
    const dataDir = await bench.folder()
    const onPrimary = { TIDINGS_DATABASE_URL: primary.databaseUrl }
    const onReplicas = { ...onPrimary, TIDINGS_READ_DATABASE_URL: replicas }
    const secret = { TIDINGS_MASTER_KEY: randomBytes(32).toString('hex') }
    const service = await startService(bench, {
      ...{ dataDir, roles: ['command-api', 'projectors'] },
      ...{ env: { ...onPrimary, ...secret }, postgresOf: primary },
    })
    const workspace = await applyWorkspace(service)
    const start = async (role: string, env: Readonly<Record<string, string>>) =>
      await startService(bench, { dataDir, roles: [role], env, postgresOf: primary })
    await acceptMessages(service.url, workspace, MESSAGES)
    const values = await idsIn(primary.databaseUrl, 'read.messages')
    const reader = await start('query-api', onPrimary)
    const readers = [await start('query-api', onReplicas), await start('query-api', onReplicas)]
    await new Promise((resolve) => setTimeout(resolve, SETTLED_MS))
    const ways = [await wayTo(bench, service, [reader]), await wayTo(bench, service, readers)]
    const compare = (reads: Reads) => compareReads(readers, () => compareWays(bench, ways, reads, workspace))
    const byId = await compare({ path: `${MESSAGES_PATH}/{value}`, values })
    const pages = await compare({ path: `${MESSAGES_PATH}?limit=20` })
    const waiting = await start('command-api', { ...onReplicas, ...secret })
    await new Promise((resolve) => setTimeout(resolve, SETTLED_MS))
    const writes = await writeAlternately(bench, [
      { name: 'the primary', service, workspace },
      { name: 'the replicas too', service: waiting, workspace },
    ])
    return [...readRows('messages read by id', byId), ...readRows('pages of 20 messages', pages), ...writes]
  },
}
