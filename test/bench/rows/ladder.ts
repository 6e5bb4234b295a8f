import type { Bench, Group } from '../lib/bench.ts'
import { startNaiveService, startRawService } from '../lib/children.ts'
import type { LoadPlan } from '../lib/load-plan.ts'
import { acceptMessages, MESSAGES_PATH } from '../lib/messages.ts'
import { median, type ReportRow, row } from '../lib/report.ts'
import { measure, type Side } from '../lib/sides.ts'
import { startCounted } from '../lib/statements.ts'
import { applyWorkspace, emailTo, type Workspace } from '../lib/workspace.ts'
import { mail, sendAll, startSending } from './send.ts'

/** Enough to keep the process busy; a rung is judged by what it costs, and not by how many pass. */
const CONNECTIONS = 32
const KNOWN = 500

/** What one request costs, in CPU microseconds; null where the machine does not tell. */
type Cost = Readonly<{ next: number; nodeUs: number | null; postgresUs: number | null; loadUs: number; statements: number }>

/** `budget`: of Node, as a multiple of the first rung. */
type Rung = Readonly<{ name: string; budget?: number; cost: (from: number, seconds: number) => Promise<Cost>; toggleProfile?: () => void }>

type Requests = Readonly<{ name: string; budget?: number; side: Side; statements: () => Promise<number> }> &
  Pick<LoadPlan, 'path' | 'headers'> &
  Partial<Pick<LoadPlan, 'body' | 'expect'>>

const rungOf = ({ name, budget, side, statements, ...plan }: Requests): Rung => ({
  name,
  ...(budget !== undefined && { budget }),
  ...(side.toggleProfile && { toggleProfile: side.toggleProfile }),
  cost: async (from, seconds) => {
    const before = await statements()
    const method = plan.body === undefined ? 'GET' : 'POST'
    const measured = await measure(side, { ...plan, method, connections: CONNECTIONS, seconds, from, of: KNOWN })
    return { ...measured, statements: ((await statements()) - before) / measured.answered }
  },
})

/** No Postgres belongs to a bare server. */
const NO_PROCESS = 0
const noStatements = async (): Promise<number> => 0

const rawRung = async (bench: Bench): Promise<Rung> => {
  const raw = await startRawService()
  bench.after(raw.stop)
  const side = { ...raw, name: 'raw', postgresPid: NO_PROCESS }
  return rungOf({ name: 'raw Fastify, static JSON', budget: 1, side, statements: noStatements, path: '/', headers: {} })
}

const REFUSED_SENDER = (body: string): string => body.replace('hello@bench.example', 'hello@other.example')

/** What the service answers without sending anything, the cheapest first, then the naive service on the same Postgres. */
const answeringRungs = async (bench: Bench): Promise<readonly Rung[]> => {
  const service = await startCounted(bench, { dataDir: await bench.folder(), roles: ['command-api', 'query-api', 'projectors'] })
  const workspace = await applyWorkspace(service)
  await acceptMessages(service.url, workspace, KNOWN)
  const naive = await startNaiveService(service.databaseUrl, workspace.key, workspace.slug)
  bench.after(naive.stop)
  const { headers } = workspace
  const { statements } = service
  const at = { side: { ...service, name: 'tidings' }, statements, headers }
  const email = { path: `${MESSAGES_PATH}/email`, body: emailTo('known{m}@example.com') }
  return [
    rungOf({ ...at, name: '`/health/live` through the conventions', budget: 1.3, path: '/health/live', headers: {} }),
    rungOf({ ...at, name: 'refused for a missing key', budget: 1.6, path: '/api/v1/public/me', headers: keyless(workspace), expect: 401 }),
    rungOf({ ...at, name: '`GET /public/me`', budget: 3, path: '/api/v1/public/me' }),
    rungOf({ ...at, name: '`GET /public/templates`', budget: 5, path: '/api/v1/public/templates' }),
    rungOf({ ...at, name: 'a send refused for its sender', budget: 4, ...email, body: REFUSED_SENDER(email.body), expect: 400 }),
    rungOf({ ...at, name: 'a send accepted and visible', budget: 8, ...email }),
    rungOf({ name: 'naive: Fastify and one INSERT', ...email, side: { ...at.side, ...naive, name: 'naive' }, statements, headers }),
  ]
}

const keyless = ({ headers: { 'x-api-key': _key, ...headers } }: Workspace): Readonly<Record<string, string>> => headers

/** The whole way, on a service of its own: what counts is over when the last message is `sent` where a client reads it. */
const sendingRung = async (bench: Bench): Promise<Rung> => {
  const sending = await startSending(bench, { channel: mail, env: {} }, startCounted)
  const { service } = sending
  return {
    name: 'accepted, sent over SMTP and `sent` visible',
    budget: 12,
    toggleProfile: service.toggleProfile,
    cost: async (from, seconds) => {
      const before = await service.statements()
      const { load, messages, costs } = await sendAll(sending, seconds, from)
      return { ...costs, next: load.next, statements: ((await service.statements()) - before) / messages }
    },
  }
}

const us = (value: number | null): string => (value === null ? '' : `${Math.round(value)} µs`)

const line = (run: number, { name }: Rung, { nodeUs, postgresUs, loadUs, statements }: Cost): string =>
  `${run === 0 ? 'warm-up' : `run ${run}`}: ${name.padEnd(44)} node ${us(nodeUs).padStart(7)}, postgres ${us(postgresUs).padStart(7)}, ` +
  `statements ${statements.toFixed(2)}, load ${us(loadUs)}`

/** Warms all rungs up, then one after the other, from the first to the last, as often as `runs`. */
const climb = async (bench: Bench, rungs: readonly Rung[]): Promise<readonly (readonly Cost[])[]> => {
  const costs: Cost[][] = rungs.map(() => [])
  const next = rungs.map(() => 0)
  for (let run = 0; run <= bench.runs; run++) {
    for (const [n, rung] of rungs.entries()) {
      if (run > 0) rung.toggleProfile?.()
      const cost = await rung.cost(next[n] ?? 0, run === 0 ? 2 * bench.seconds : bench.seconds)
      if (run > 0) rung.toggleProfile?.()
      next[n] = cost.next
      bench.say(line(run, rung, cost))
      if (run > 0) costs[n]?.push(cost)
    }
  }
  return costs
}

const rowsOf = ({ name, budget }: Rung, costs: readonly Cost[], unit: number): readonly ReportRow[] => {
  const of = (figure: (cost: Cost) => number | null) => median(costs.map((cost) => figure(cost) ?? Number.NaN))
  const postgres = costs.some(({ postgresUs }) => postgresUs === null) ? null : of(({ postgresUs }) => postgresUs)
  return [
    row(
      `ladder: ${name}`,
      'µs',
      of(({ nodeUs }) => nodeUs),
      { baseline: unit, ...(budget !== undefined && { target: { atMost: budget } }) },
    ),
    ...(postgres === null
      ? []
      : [
          row('  Postgres', 'µs', postgres),
          row(
            '  statements',
            'a request',
            of((cost) => cost.statements),
          ),
        ]),
    row(
      '  load generator',
      'µs',
      of(({ loadUs }) => loadUs),
    ),
  ]
}

/** CPU of Node a request, from a bare server to a message that was sent, as multiples of the bare server in the same minutes. */
export const ladder: Group = {
  name: 'ladder',
  run: async (bench) => {
    const rungs = [await rawRung(bench), ...(await answeringRungs(bench)), await sendingRung(bench)]
    const costs = await climb(bench, rungs)
    const unit = median((costs[0] ?? []).map(({ nodeUs }) => nodeUs ?? Number.NaN))
    return rungs.flatMap((rung, n) => rowsOf(rung, costs[n] ?? [], unit))
  },
}
