import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { putSecrets } from '@tidings/config'
import type { Pool } from 'pg'
import type { WriteLogAnswer, WriteLogInput } from '../workers/write-log.ts'
import type { Bench } from './bench.ts'
import { runScript, startWebhookSink, type WebhookSink } from './children.ts'
import { cpuSecondsOf, cpuSecondsOfTree } from './cpu.ts'
import { MASTER_KEY } from './engine.ts'
import { type CountedService, startCounted } from './statements.ts'
import { tidings } from './workspace.ts'

const SLUG = 'bench'
const LOOK_MS = 50

/** A service with lists to add contacts to, and a receiver of what it tells. */
export type Telling = Readonly<{
  bench: Bench
  service: CountedService
  sink: WebhookSink
  pool: Pool
  headers: Readonly<Record<string, string>>
  lists: readonly string[]
}>

type Applied = Readonly<{ apiKeys: readonly { key: string }[]; lists: Readonly<Record<string, string>> }>

const provision = async ({ dataDir }: CountedService, lists: number): Promise<Pick<Telling, 'headers' | 'lists'>> => {
  const file = join(dataDir, 'workspace.yaml')
  const named = Array.from({ length: lists }, (_, n) => `{ name: list ${n}, type: static }`)
  await writeFile(file, `workspace: { slug: ${SLUG}, name: Bench }\napiKeys: [{ name: bench }]\nlists: [${named}]\n`)
  const applied = await tidings<Applied>(dataDir, ['apply', '-f', file])
  const key = applied.apiKeys[0]?.key ?? ''
  const headers = { 'content-type': 'application/json', 'x-sender-tenant': SLUG, 'x-api-key': key }
  return { headers, lists: Object.values(applied.lists) }
}

/** Starts the service, all roles in one process, and a receiver. */
export async function startTelling(bench: Bench, lists: number, env: Readonly<Record<string, string>> = {}): Promise<Telling> {
  const sink = await startWebhookSink()
  bench.after(sink.stop)
  const dataDir = await bench.folder()
  await putSecrets(dataDir, { masterKey: MASTER_KEY })
  const service = await startCounted(bench, { dataDir, env: { TIDINGS_WEBHOOK_ALLOW_LOCAL: '1', ...env } })
  return { bench, service, sink, pool: service.uncounted, ...(await provision(service, lists)) }
}

/** Contacts as the log would have them, written past HTTP; answers their ids when they can be read. */
export async function writeContacts({ service, pool }: Telling, contacts: number): Promise<readonly string[]> {
  const log: Omit<WriteLogInput, 'url'> = { mix: 'personal', contacts, first: 1, later: 0 }
  await runScript<WriteLogAnswer>('workers/write-log.ts', { url: service.databaseUrl, ...log } satisfies WriteLogInput)
  for (;;) {
    const { rows } = await pool.query<{ id: string }>('select id from read.profiles')
    if (rows.length >= contacts) return rows.map(({ id }) => id)
    await sleep(4 * LOOK_MS)
  }
}

const ask = async ({ service, headers }: Telling, method: 'POST' | 'DELETE', path: string, body?: object): Promise<Response> => {
  const { 'content-type': type, ...others } = headers
  const init = body === undefined ? { headers: others } : { headers: { ...others, 'content-type': type ?? '' }, body: JSON.stringify(body) }
  const answer = await fetch(`${service.url}/api/v1/public/webhooks${path}`, { method, ...init })
  if (!answer.ok) throw new Error(`${method} of the endpoint was answered ${answer.status}`)
  return answer
}

export async function addEndpoint(telling: Telling, path: string, events: readonly string[]): Promise<string> {
  const answer = await ask(telling, 'POST', '', { url: `${telling.sink.url}${path}`, events })
  return ((await answer.json()) as { data: { id: string } }).data.id
}

export async function removeEndpoint(telling: Telling, id: string): Promise<void> {
  return void (await ask(telling, 'DELETE', `/${id}`))
}

/** Suspends the workspace: its deliveries wait meanwhile. */
export function moveWorkspace({ service }: Telling, move: 'suspend' | 'resume'): Promise<unknown> {
  return tidings(service.dataDir, ['workspace', move, SLUG])
}

const waitingDeliveries = async ({ pool }: Telling): Promise<number> => {
  const { rows } = await pool.query<{ waiting: number }>('select coalesce(sum(waiting), 0)::int as waiting from webhooks.queue')
  return rows[0]?.waiting ?? 0
}

export async function untilWaiting(telling: Telling, count: number): Promise<void> {
  while ((await waitingDeliveries(telling)) !== count) await sleep(LOOK_MS)
}

export async function untilFewerWait(telling: Telling, than: number): Promise<void> {
  while ((await waitingDeliveries(telling)) >= than) await sleep(LOOK_MS)
}

/** The end of the log now. */
export async function endOfLog({ pool }: Telling): Promise<bigint> {
  const { rows } = await pool.query<{ position: bigint }>('select coalesce(max(position), 0) as position from es.event')
  return rows[0]?.position ?? 0n
}

/** Events behind `after` that endpoints are notified of. */
const happened = async ({ pool }: Telling, after: bigint): Promise<number> => {
  const { rows } = await pool.query<{ n: number }>(
    `select count(*)::int as n from es.event where position > $1 and type in ('ContactDetailsChanged', 'ContactAddedToList')`,
    [after],
  )
  return rows[0]?.n ?? 0
}

/** Resolves when everything that happened behind `after` has been received by so many endpoints, and nothing more happened meanwhile. */
export async function drained(telling: Telling, after: bigint, endpoints: number): Promise<number> {
  for (let seen = -1; ; await sleep(LOOK_MS)) {
    const due = (await happened(telling, after)) * endpoints
    if (due === seen && (await telling.sink.count()) >= due) return due
    seen = due
  }
}

/** CPU seconds used so far: of the service, and of its Postgres. */
export async function cpuOf({ service }: Telling): Promise<readonly [number, number]> {
  return [(await cpuSecondsOf(service.pid)) ?? Number.NaN, (await cpuSecondsOfTree(service.postgresPid)) ?? Number.NaN]
}
