import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { dataOf } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { type Receiver, startReceiver } from './support/webhook-receiver.ts'
import { startWorld, type World } from './support/world.ts'

// Time stands still here but for `pass`. A second of the contract lasts ten minutes, so that the time which the test itself takes is nothing.
const SECOND_MS = 600_000
const STEP = 5
/** The times of a delivery's tries, in seconds after the first (contract: Webhook deliveries). */
const TRIES = [0, 5, 15, 35, 75]

let world: World
let receiver: Receiver
let acme: Client
let now = 0
let downUntil = 0

beforeAll(async () => {
  receiver = await startReceiver()
  world = await startWorld({ TIDINGS_WEBHOOK_ALLOW_LOCAL: '1', TIDINGS_WEBHOOK_BACKOFF_MS: String(5 * SECOND_MS) })
  acme = await world.workspace('acme')
})
afterAll(async () => {
  await world?.stop()
  await receiver?.close()
})
beforeEach(() => {
  now = 0
  receiver.all.splice(0)
  receiver.reply(({ path }) => (path === '/down' && now < downUntil ? 503 : 200))
})

const endpoint = async (path: string): Promise<string> => {
  const made = await acme.request('POST', '/public/webhooks', { url: `${receiver.url}${path}`, events: ['contact.created'] })
  return dataOf<{ id: string }>(made, 201).id
}
const pool = () => world.stores.pool
const count = async (which: string): Promise<number> =>
  (await pool().query<{ n: number }>(`select count(*)::int as n from webhooks.delivery where ${which}`)).rows[0]?.n ?? 0
const pass = async (seconds: number) => {
  now += seconds
  await pool().query(`update webhooks.delivery set due_at = due_at - $1 * interval '1 millisecond' where due_at is not null`, [
    seconds * SECOND_MS,
  ])
  // As the processes tell each other: what a table alone says is found by a look, a second later.
  await pool().query(`select pg_notify('tidings_due', 'webhooks')`)
}
/** Whatever is due has been tried, and what became of it is stored. */
const settled = () =>
  eventually(
    () => count('due_at is null or due_at <= now()'),
    (due) => due === 0,
  )

const triesAt = (path: string): ReadonlyMap<string, number> => {
  const by = Map.groupBy(receiver.at(path), ({ data }) => String(data.email))
  return new Map([...by].map(([email, tries]) => [email, tries.length]))
}

it.each([
  { outage: 60, lost: 0 },
  { outage: 100, lost: 5 },
])('a receiver that is down for $outage s loses what five tries did not reach: $lost deliveries; another loses none', async (situation) => {
  downUntil = situation.outage
  const ids = [await endpoint('/down'), await endpoint('/up')]
  const happened = new Map<string, number>()
  for (; now < situation.outage; await pass(STEP)) {
    const email = `at-${now}-of-${situation.outage}@example.com`
    dataOf(await acme.request('POST', '/public/profiles', { email }), 201)
    happened.set(email, now)
    await eventually(
      async () => triesAt('/up').has(email) && triesAt('/down').has(email),
      (isReceived) => isReceived,
    )
    await settled()
  }
  while ((await count('true')) > 0) {
    await settled()
    await pass(STEP)
  }
  /** Every try up to the first that finds the receiver up. */
  const due = [...happened].map(([email, at]) => {
    const failing = TRIES.filter((after) => at + after < situation.outage).length
    return [email, Math.min(failing + 1, TRIES.length)] as const
  })
  expect(triesAt('/down')).toEqual(new Map(due))
  const lost = [...happened.values()].filter((at) => at + 75 < situation.outage)
  const received = await pool().query<{ endpoint_id: string; outcome: string; n: number }>(
    'select endpoint_id, outcome, count(*)::int as n from webhooks.attempt group by 1, 2',
  )
  const outcomes = (id: string | undefined, outcome: string) =>
    received.rows.find((row) => row.endpoint_id === id && row.outcome === outcome)?.n ?? 0
  expect([lost.length, outcomes(ids[0], 'dropped')]).toEqual([situation.lost, situation.lost])
  expect(triesAt('/up')).toEqual(new Map([...happened.keys()].map((email) => [email, 1])))
  expect(outcomes(ids[1], 'dropped') + outcomes(ids[1], 'retrying')).toBe(0)
  for (const id of ids) await acme.request('DELETE', `/public/webhooks/${id}`)
})
