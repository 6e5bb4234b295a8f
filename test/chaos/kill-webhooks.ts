import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { testDatabase } from '@tidings/testing'
import { dataOf } from '../e2e/support/answers.ts'
import type { Client } from '../e2e/support/client.ts'
import { type Installation, install } from '../e2e/support/installation.ts'
import { type Receiver, startReceiver } from '../e2e/support/webhook-receiver.ts'

/** `waiting` is what the database still holds for later. `tries` is what the receiver got, `repeated` how many of these it had taken before. */
export type WebhookChaosResult = Readonly<{
  kills: number
  acknowledged: number
  endpoints: number
  due: number
  lost: number
  waiting: number
  severalIds: number
  tries: number
  repeated: number
}>

/** `seconds`: of load before each kill, at most. */
export type WebhookChaos = Readonly<{ kills: number; clients: number; endpoints: number; seconds: number }>

/** What a killed process held is free again after 30 s, and a crash may delay nothing by more than a minute: for so long nothing new may come. */
const TIMEOUT_MS = 90_000

const createContacts = async (client: Client, acknowledged: Set<string>, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    const email = `${randomUUID()}@example.com`
    const answer = await client.request('POST', '/public/profiles', { email }).catch(() => null)
    if (answer?.status === 201) acknowledged.add(email)
    else await sleep(50)
  }
}

type DeliveryIds = ReadonlyMap<string, ReadonlySet<string>>

/** The ids under which each endpoint received each contact. */
const receivedBy = ({ all }: Receiver): DeliveryIds => {
  const received = new Map<string, Set<string>>()
  for (const { path, data, deliveryId } of all) {
    const name = `${path} ${data.email}`
    received.set(name, (received.get(name) ?? new Set()).add(deliveryId))
  }
  return received
}

type Audit = Readonly<{ receiver: Receiver; acknowledged: ReadonlySet<string>; paths: readonly string[] }>

const missing = ({ receiver, acknowledged, paths }: Audit): number => {
  const received = receivedBy(receiver)
  return paths.reduce((sum, path) => sum + [...acknowledged].filter((email) => !received.has(`${path} ${email}`)).length, 0)
}

const untilReceived = async (audit: Audit): Promise<number> => {
  let left = missing(audit)
  for (let deadline = Date.now() + TIMEOUT_MS; left > 0 && Date.now() < deadline; ) {
    await sleep(1_000)
    const before = left
    left = missing(audit)
    if (left < before) deadline = Date.now() + TIMEOUT_MS
  }
  return left
}

const addEndpoints = async (client: Client, receiver: Receiver, count: number): Promise<readonly string[]> => {
  const paths = Array.from({ length: count }, (_, n) => `/hook-${n}`)
  for (const path of paths)
    dataOf(await client.request('POST', '/public/webhooks', { url: `${receiver.url}${path}`, events: ['contact.created'] }), 201)
  return paths
}

type Running = Readonly<{ installation: Installation; receiver: Receiver }>

/** Every fifth delivery is refused at its first try, so that some wait when the service is killed. */
const reluctant = (receiver: Receiver): void => receiver.reply(({ deliveryId }, nth) => (nth === 1 && deliveryId < '33' ? 503 : 200))

const strike = async (
  { installation, receiver }: Running,
  { kills, clients, endpoints, seconds }: WebhookChaos,
): Promise<WebhookChaosResult> => {
  const acknowledged = new Set<string>()
  const ending = new AbortController()
  let service = await installation.start()
  try {
    const client = await installation.workspace('acme')
    const paths = await addEndpoints(client, receiver, endpoints)
    reluctant(receiver)
    const load = Promise.all(Array.from({ length: clients }, () => createContacts(client, acknowledged, ending.signal)))
    // Something to lose, however slow the machine.
    while (acknowledged.size === 0) await sleep(20)
    for (let kill = 0; kill < kills; kill++) {
      await sleep(500 + Math.random() * (seconds * 1_000 - 500))
      await service.end('SIGKILL')
      service = await installation.start()
    }
    await sleep(1_000)
    ending.abort()
    await load
    const lost = await untilReceived({ receiver, acknowledged, paths })
    const { rows } = await installation.pool.query<{ waiting: number }>('select count(*)::int as waiting from webhooks.delivery')
    const waiting = rows[0]?.waiting ?? Number.NaN
    const taken = [...Map.groupBy(receiver.all, ({ deliveryId, path }) => `${path} ${deliveryId}`).values()]
    const repeated = taken.reduce((sum, tries) => sum + Math.max(0, tries.length - ((tries[0]?.deliveryId ?? '') < '33' ? 2 : 1)), 0)
    const severalIds = [...receivedBy(receiver).values()].filter(({ size }) => size > 1).length
    const due = acknowledged.size * paths.length
    return { kills, acknowledged: acknowledged.size, endpoints, due, lost, waiting, severalIds, tries: receiver.all.length, repeated }
  } finally {
    ending.abort()
    await service.end('SIGTERM')
  }
}

/** Contacts are created while the service is killed, again and again; then every endpoint must have received every one. */
export async function webhookChaos(chaos: WebhookChaos): Promise<WebhookChaosResult> {
  const [database, receiver] = await Promise.all([testDatabase(), startReceiver()])
  const installation = await install(database.url, { TIDINGS_WEBHOOK_ALLOW_LOCAL: '1', TIDINGS_WEBHOOK_BACKOFF_MS: '300' })
  try {
    return await strike({ installation, receiver }, chaos)
  } finally {
    await receiver.close()
    await installation.close()
    await database.drop()
  }
}
