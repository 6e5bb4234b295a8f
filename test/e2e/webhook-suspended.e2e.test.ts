import { afterAll, beforeAll, expect, it } from 'vitest'
import { dataOf } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { type Receiver, startReceiver } from './support/webhook-receiver.ts'
import { startWorld, type World } from './support/world.ts'

let world: World
let receiver: Receiver

beforeAll(async () => {
  receiver = await startReceiver()
  // A second try comes when a test says so, however long it takes to suspend a workspace between two.
  world = await startWorld({ TIDINGS_WEBHOOK_ALLOW_LOCAL: '1', TIDINGS_WEBHOOK_BACKOFF_MS: '3600000' })
})
afterAll(async () => {
  await world?.stop()
  await receiver?.close()
})

const PEOPLE = 3

const endpoint = async (client: Client): Promise<{ id: string; path: string }> => {
  const path = `/${client.slug}`
  const made = await client.request('POST', '/public/webhooks', { url: `${receiver.url}${path}`, events: ['contact.created'] })
  return { id: dataOf<{ id: string }>(made, 201).id, path }
}
let people = 0
const person = async (client: Client) =>
  dataOf(await client.request('POST', '/public/profiles', { email: `person-${++people}@example.com` }), 201)
const become = (client: Client, status: 'active' | 'suspended' | 'closed') =>
  world.operate(client.applied.workspace.id, { type: 'ChangeWorkspaceStatus', data: { status } })
const pool = () => world.stores.pool
const waiting = async (id: string, which = 'true'): Promise<number> => {
  const text = `select count(*)::int as n from webhooks.delivery where endpoint_id = $1 and ${which}`
  return (await pool().query<{ n: number }>(text, [id])).rows[0]?.n ?? 0
}
const untilWaiting = (id: string, count: number, which?: string) =>
  eventually(
    () => waiting(id, which),
    (left) => left === count,
  )
/** The hour until the second tries is over. */
const comesDue = async (id: string): Promise<void> => {
  await pool().query(`update webhooks.delivery set due_at = due_at - interval '1 hour' where endpoint_id = $1`, [id])
  // As the processes tell each other.
  await pool().query(`select pg_notify('tidings_due', 'webhooks')`)
}
/** Every endpoint got it once, refused, and will get it again. */
const refusing = async (client: Client): Promise<{ id: string; path: string }> => {
  const { id, path } = await endpoint(client)
  receiver.reply((received) => (received.path === path ? 503 : 200))
  for (let n = 0; n < PEOPLE; n++) await person(client)
  await untilWaiting(id, PEOPLE, 'attempt = 1')
  return { id, path }
}

it('an endpoint of a suspended workspace gets nothing, and all that waits once that is over', async () => {
  const [client, witness] = [await world.workspace('resting'), await world.workspace('awake')]
  const { id, path } = await refusing(client)
  await become(client, 'suspended')
  receiver.reply(() => 200)
  await comesDue(id)
  const other = await endpoint(witness)
  await person(witness)
  await receiver.wait(other.path, 1)
  await untilWaiting(other.id, 0)
  expect([await waiting(id), receiver.at(path).length]).toEqual([PEOPLE, PEOPLE])
  await become(client, 'active')
  await untilWaiting(id, 0)
  const tries = Map.groupBy(receiver.at(path), ({ deliveryId }) => deliveryId)
  expect([...tries.values()].map(({ length }) => length)).toEqual([2, 2, 2])
})

it('an endpoint of a closed workspace gets nothing more, and what waits is dropped', async () => {
  const client = await world.workspace('ending')
  const { id, path } = await refusing(client)
  await become(client, 'closed')
  receiver.reply(() => 200)
  await comesDue(id)
  await untilWaiting(id, 0)
  expect(receiver.at(path)).toHaveLength(PEOPLE)
})
