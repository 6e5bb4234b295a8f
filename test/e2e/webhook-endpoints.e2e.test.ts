import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { coded, dataOf, outcome, uncoded } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { startWorld, type World } from './support/world.ts'

let world: World
let acme: Client
let other: Client

beforeAll(async () => {
  world = await startWorld({ TIDINGS_WEBHOOK_ALLOW_LOCAL: '1', TIDINGS_WEBHOOK_ENDPOINTS: '5' })
  acme = await world.workspace('acme')
  other = await world.workspace('other')
})
afterAll(() => world?.stop())

type Endpoint = Readonly<{ id: string; url: string; signingSecret?: string; createdAt: string }>

const hook = { url: 'http://127.0.0.1:9/hook', events: ['contact.created'] }
const create = (client: Client, body: unknown = hook, headers = {}) => client.request('POST', '/public/webhooks', body, headers)
const created = async (client: Client, body: unknown = hook): Promise<Endpoint> => dataOf(await create(client, body), 201)
const list = async (client: Client): Promise<readonly Endpoint[]> => dataOf(await client.request('GET', '/public/webhooks'), 200)
const remove = (client: Client, id: string) => client.request('DELETE', `/public/webhooks/${id}`)
const removeAll = async (client: Client) => {
  for (const { id } of await list(client)) await remove(client, id)
}

describe('a webhook endpoint', () => {
  it('is created with a secret that is shown once, listed newest first without it, and deleted for good', async () => {
    const first = await created(acme, { ...hook, label: 'Shop' })
    const second = await created(acme, { url: 'http://127.0.0.1:9/b', events: ['*', 'order.placed'] })
    expect(first).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      label: 'Shop',
      ...hook,
      active: true,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/),
      signingSecret: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    const { signingSecret: _, ...shown } = first
    const listed = await list(acme)
    expect(listed.map(({ id }) => id)).toEqual([second.id, first.id])
    expect(listed[1]).toEqual(shown)
    expect((await remove(acme, first.id)).status).toBe(204)
    expect(outcome(await remove(acme, first.id))).toEqual(uncoded(404, 'Webhook not found'))
    expect((await list(acme)).map(({ id }) => id)).toEqual([second.id])
    await removeAll(acme)
  })

  it('belongs to its workspace alone', async () => {
    const { id } = await created(acme)
    expect(await list(other)).toEqual([])
    expect(outcome(await remove(other, id))).toEqual(uncoded(404, 'Webhook not found'))
    await removeAll(acme)
  })

  it.each([
    [{ events: ['*'] }, 'url must be a string'],
    [{ url: 'x'.repeat(1_001), events: ['*'] }, 'url must be shorter than or equal to 1000 characters'],
    [{ url: hook.url }, 'events must be an array'],
    [{ ...hook, events: [] }, 'events should not be empty'],
    [{ ...hook, events: ['order'] }, /^each value in events must match .* regular expression$/],
    [{ ...hook, events: ['Order.completed'] }, /^each value in events must match .* regular expression$/],
    [{ ...hook, events: [5] }, 'each value in events must be a string'],
    [{ ...hook, label: 'x'.repeat(256) }, 'label must be shorter than or equal to 255 characters'],
    [{ ...hook, active: false }, 'property active should not exist'],
  ])('that is malformed is refused without a code: %j', async (body, message) => {
    const { status, body: answer } = await create(acme, body)
    expect([status, answer.code]).toEqual([400, undefined])
    expect(answer.message).toMatch(message)
  })

  it.each(['ftp://127.0.0.1/', 'nonsense', '', 'http://user@127.0.0.1/'])('whose URL breaks a rule is refused: %j', async (url) => {
    const answer = await create(acme, { ...hook, url })
    expect(outcome(answer)).toEqual({ ...coded(400, 'webhook_url_blocked'), message: 'Webhook URL is not allowed' })
  })

  it('must have a UUID to be deleted', async () => {
    expect(outcome(await remove(acme, 'nonsense'))).toEqual(uncoded(400, 'Validation failed (uuid is expected)'))
    expect(outcome(await remove(acme, randomUUID()))).toEqual(uncoded(404, 'Webhook not found'))
  })

  it('beyond the limit is refused, however many come at once', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => create(other)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5)
    const refused = answers.find(({ status }) => status !== 201)
    expect(refused && outcome(refused)).toEqual(coded(400, 'webhook_limit_reached'))
    expect(await list(other)).toHaveLength(5)
    await removeAll(other)
  })

  it('asked for again under the same Idempotency-Key is the same one, and its secret is not stored to be shown again', async () => {
    const key = { 'Idempotency-Key': randomUUID() }
    const { id }: Endpoint = dataOf(await create(acme, hook, key), 201)
    const again = await create(acme, hook, key)
    expect(JSON.stringify(again.body)).not.toMatch(/[0-9a-f]{64}/)
    expect((await list(acme)).map((endpoint) => endpoint.id)).toEqual([id])
    await removeAll(acme)
  })
})
