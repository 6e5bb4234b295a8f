import { setTimeout as sleep } from 'node:timers/promises'
import { createPool } from '@tidings/postgres'
import type { Pool } from 'pg'
import type { Bench, Group } from '../lib/bench.ts'
import { load, startWebhookSink, type WebhookSink } from '../lib/children.ts'
import { cpuSecondsOf, cpuSecondsOfTree, residentMb } from '../lib/cpu.ts'
import { median, type Row, row } from '../lib/report.ts'
import { type Service, startService } from '../lib/service.ts'
import type { Taken } from '../lib/webhook-sink.ts'
import { applyWorkspace, type Workspace } from '../lib/workspace.ts'

const RATE = 500
const CONNECTIONS = 64
const ENDPOINTS = 20
const LOOK_MS = 50
const PROFILES = '/api/v1/public/profiles'

type Telling = Readonly<{ bench: Bench; service: Service; workspace: Workspace; sink: WebhookSink; pool: Pool }>

/** `from`: the number of the first contact; `endpoints`: how many are told of each. */
type Plan = Readonly<{ from: number; endpoints: number; rate?: number }>
type Told = Readonly<{ next: number; accepted: number; perSecond: number; received: Taken }>

const contacts = async ({ pool }: Telling): Promise<number> => {
  const { rows } = await pool.query<{ all: number }>(`select total::int as all from read.profile_totals where bucket = 'all'`)
  return rows[0]?.all ?? 0
}

/** Resolves when everything that was created has been received, and nothing more was created meanwhile. */
const drained = async (telling: Telling, before: number, endpoints: number): Promise<Taken> => {
  for (let seen = -1; ; await sleep(LOOK_MS)) {
    const created = (await contacts(telling)) - before
    if (created === seen && (await telling.sink.count()) >= created * endpoints) break
    seen = created
  }
  const taken = await telling.sink.take()
  const due = ((await contacts(telling)) - before) * endpoints
  if (taken.count !== due) throw new Error(`${due} deliveries were due, ${taken.count} were received`)
  return taken
}

const cpu = async ({ service }: Telling): Promise<readonly [number, number]> => [
  (await cpuSecondsOf(service.pid)) ?? 0,
  (await cpuSecondsOfTree(service.postgresPid)) ?? 0,
]

/** Contacts are created for a while, and each is told to every endpoint; the time lasts until the last delivery. */
const tell = async (telling: Telling, { from, endpoints, rate }: Plan): Promise<Told> => {
  const { service, workspace, bench, sink } = telling
  await sink.take()
  const before = await contacts(telling)
  const [nodeBefore, postgresBefore] = await cpu(telling)
  const result = await load({
    url: service.url,
    method: 'POST',
    path: PROFILES,
    headers: workspace.headers,
    connections: CONNECTIONS,
    seconds: bench.seconds,
    ...(rate !== undefined && { rate }),
    from,
    body: '{"email":"told{n}@example.com","firstName":"Ada"}',
  })
  const received = await drained(telling, before, endpoints)
  const [node, postgres] = await cpu(telling)
  const each = (now: number, then: number): number => Math.round(((now - then) * 1e6) / received.count)
  const perSecond = received.count / ((received.lastAt - result.startedAt) / 1_000)
  const costs = `CPU a delivery, its contact included: node ${each(node, nodeBefore)} µs, postgres ${each(postgres, postgresBefore)} µs`
  bench.say(`accepted ${Math.round(result.perSecond)}/s, delivered ${Math.round(perSecond)}/s, p95 ${received.p95} ms; ${costs}`)
  return { next: result.next, accepted: result.perSecond, perSecond, received }
}

/** A run that does not count, then the others. */
const runs = async (telling: Telling, plan: Plan): Promise<Readonly<{ told: readonly Told[]; next: number }>> => {
  const told: Told[] = []
  let next = plan.from
  for (let run = 0; run <= telling.bench.runs; run++) {
    if (run > 0) telling.service.toggleProfile()
    const one = await tell(telling, { ...plan, from: next })
    if (run > 0) telling.service.toggleProfile()
    next = one.next
    if (run > 0) told.push(one)
  }
  return { told, next }
}

const endpoint = async ({ service, workspace }: Telling, method: 'POST' | 'DELETE', path: string, body?: object): Promise<string> => {
  const { headers } = workspace
  const url = `${service.url}/api/v1/public/webhooks${path}`
  const answer = await fetch(
    url,
    body === undefined ? { method, headers: withoutType(headers) } : { method, headers, body: JSON.stringify(body) },
  )
  if (!answer.ok) throw new Error(`${method} of the endpoint was answered ${answer.status}`)
  return method === 'DELETE' ? '' : ((await answer.json()) as { data: { id: string } }).data.id
}

const withoutType = ({ 'content-type': _, ...headers }: Workspace['headers']): Workspace['headers'] => headers

const addEndpoint = (telling: Telling, path: string): Promise<string> =>
  endpoint(telling, 'POST', '', { url: `${telling.sink.url}${path}`, events: ['contact.created'] })

/** Beside receivers that hold whatever they are sent for as long as they may. */
const besideStuck = async (telling: Telling, from: number): Promise<Readonly<{ told: readonly Told[]; next: number }>> => {
  const stuck = [await addEndpoint(telling, '/never'), await addEndpoint(telling, '/slow')]
  const paced = await runs(telling, { from, endpoints: 1, rate: RATE })
  for (const id of stuck) await endpoint(telling, 'DELETE', `/${id}`)
  return paced
}

const start = async (bench: Bench): Promise<Telling> => {
  const sink = await startWebhookSink()
  bench.after(sink.stop)
  bench.say('starting the service (all roles in one process) and a receiver')
  const service = await startService(bench, { dataDir: await bench.folder(), env: { TIDINGS_WEBHOOK_ALLOW_LOCAL: '1' } })
  const pool = createPool({ url: service.databaseUrl, max: 2, name: 'bench' })
  bench.after(() => pool.end())
  return { bench, service, workspace: await applyWorkspace(service), sink, pool }
}

const figure = (told: readonly Told[], of: (one: Told) => number): number => median(told.map(of))

const age = (told: readonly Told[], share: 'p50' | 'p95' | 'p99'): number => figure(told, ({ received }) => received[share])

const LATENCY = { atMost: 25 }

/** From the POST that creates a contact to the receiver that is told of it, load and receiver on the same machine. */
export const webhooks: Group = {
  name: 'webhooks',
  run: async (bench) => {
    const telling = await start(bench)
    await addEndpoint(telling, '/1')
    bench.say(`${RATE} contacts/s, one endpoint`)
    const paced = await runs(telling, { from: 0, endpoints: 1, rate: RATE })
    bench.say('the same beside a receiver that never answers and one that takes 9 s')
    const beside = await besideStuck(telling, paced.next)
    bench.say('unpaced, one endpoint')
    const one = await runs(telling, { from: beside.next, endpoints: 1 })
    for (let n = 2; n <= ENDPOINTS; n++) await addEndpoint(telling, `/${n}`)
    bench.say(`unpaced, ${ENDPOINTS} endpoints`)
    const many = await runs(telling, { from: one.next, endpoints: ENDPOINTS })
    const resident = await residentMb(telling.service.pid)
    const rate = figure(one.told, ({ perSecond }) => perSecond)
    const rows: Row[] = [
      row(`webhooks, ${RATE} events/s: accepted to received, p95`, 'ms', age(paced.told, 'p95'), { target: LATENCY }),
      row('  p50', 'ms', age(paced.told, 'p50')),
      row('  p99', 'ms', age(paced.told, 'p99')),
      row('  p95 beside one that never answers and one that takes 9 s', 'ms', age(beside.told, 'p95'), { target: LATENCY }),
      row('webhooks, one endpoint, unpaced: accepted and delivered', '/s', rate, { target: { atLeast: 2_000 } }),
      row(
        `webhooks, ${ENDPOINTS} endpoints an event: delivered`,
        '/s',
        figure(many.told, ({ perSecond }) => perSecond),
        {
          target: { atLeast: 5_000 },
        },
      ),
      ...(resident === null ? [] : [row('  resident memory after it', 'MB', resident)]),
    ]
    return rows
  },
}
