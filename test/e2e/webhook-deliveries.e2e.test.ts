import { createHmac } from 'node:crypto'
import { createCommandRunner } from '@tidings/commands'
import { asEndpointId, webhooks, webhooksStream } from '@tidings/domain'
import { createProvisioner } from '@tidings/provisioning'
import { PATIENT_MS } from '@tidings/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { dataOf } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { listsOf } from './support/lists.ts'
import { type Receiver, type Reply, startReceiver } from './support/webhook-receiver.ts'
import { startWorld, type World } from './support/world.ts'

let world: World
let receiver: Receiver
let acme: Client
let other: Client

beforeAll(async () => {
  receiver = await startReceiver()
  const env = { TIDINGS_WEBHOOK_ALLOW_LOCAL: '1', TIDINGS_WEBHOOK_BACKOFF_MS: '20', TIDINGS_WEBHOOK_STANDARD_HEADERS: '1' }
  world = await startWorld(env)
  acme = await world.workspace('acme', 'lists: [{ name: VIP, type: static }]')
  other = await world.workspace('other')
})
afterAll(async () => {
  await world?.stop()
  await receiver?.close()
})
beforeEach(() => receiver.reply(() => 200))

type Endpoint = Readonly<{ id: string; path: string; signingSecret: string }>
let paths = 0
const endpoint = async (events: readonly string[], client = acme): Promise<Endpoint> => {
  const path = `/hook-${++paths}`
  const made = await client.request('POST', '/public/webhooks', { url: `${receiver.url}${path}`, events })
  return { ...dataOf<Omit<Endpoint, 'path'>>(made, 201), path }
}
let people = 0
const person = async (more: object = {}, client = acme): Promise<string> => {
  const email = `person-${++people}@example.com`
  return dataOf<{ id: string }>(await client.request('POST', '/public/profiles', { email, ...more }), 201).id
}
const change = async (id: string, body: object) => dataOf(await acme.request('PATCH', `/public/profiles/${id}`, body), 200)
const names = (path: string) => receiver.at(path).map(({ event }) => event)
const move = async (type: 'PauseWebhook' | 'ResumeWebhook', endpointId: string) => {
  const workspaceId = acme.applied.workspace.id
  await createProvisioner(createCommandRunner({ log: world.stores.log, deadlineMs: PATIENT_MS })).execute(
    workspaceId,
    webhooks,
    webhooksStream(workspaceId),
    {
      type,
      data: { endpointId: asEndpointId(endpointId) },
    },
  )
}
/** Nothing is on its way any more: what happened so far was delivered or dropped. */
const quiet = async () => {
  const witness = await endpoint(['contact.created'])
  await person()
  await receiver.wait(witness.path, 1)
  await eventually(
    async () => (await world.stores.pool.query<{ n: number }>('select count(*)::int as n from webhooks.delivery')).rows[0]?.n,
    (waiting) => waiting === 0,
  )
}

describe('what an endpoint receives', () => {
  it('is a contact as it was created, signed over the raw bytes', async () => {
    const { path, signingSecret } = await endpoint(['contact.created'])
    const id = await person({ firstName: 'Ada', tags: ['poet'], emailConsent: 'subscribed' })
    const [received] = await receiver.wait(path, 1)
    expect(received?.data).toEqual({
      id,
      email: `person-${people}@example.com`,
      phone: null,
      firstName: 'Ada',
      lastName: null,
      tags: ['poet'],
      emailConsent: 'subscribed',
      smsConsent: 'never_subscribed',
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      occurredAt: expect.any(String),
    })
    const { raw = Buffer.alloc(0), headers = {}, deliveryId } = received ?? {}
    expect(Object.keys(JSON.parse(raw.toString()))).toEqual(['event', 'deliveryId', 'data'])
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-sender-signature': `sha256=${createHmac('sha256', signingSecret).update(raw).digest('hex')}`,
      'x-sender-delivery': deliveryId,
      'x-sender-event': 'contact.created',
      'webhook-id': deliveryId,
    })
    const at = headers['webhook-timestamp']
    const standard = createHmac('sha256', signingSecret).update(`${deliveryId}.${at}.`).update(raw).digest('base64')
    expect(headers['webhook-signature']).toBe(`v1,${standard}`)
  })

  it('is one update for all that changed, none when nothing did, and a channel that was left', async () => {
    const id = await person({ emailConsent: 'subscribed' })
    const { path } = await endpoint(['*'])
    await change(id, { firstName: 'Ada', lastName: 'Lovelace', phone: '+33612345678' })
    await change(id, { firstName: 'Ada' })
    await change(id, { emailConsent: 'subscribed' })
    await change(id, { emailConsent: 'unsubscribed' })
    await quiet()
    const received = receiver.at(path).filter(({ data }) => data.id === id)
    expect(received.map(({ event }) => event).sort()).toEqual(['contact.unsubscribed', 'contact.updated', 'contact.updated'])
    expect(received.find(({ event }) => event === 'contact.unsubscribed')?.data).toMatchObject({
      channel: 'email',
      emailConsent: 'unsubscribed',
    })
    expect(received.some(({ data }) => data.firstName === 'Ada' && data.phone === '+33612345678')).toBe(true)
  })

  it('is who really came to a list, and who left it', async () => {
    const { path } = await endpoint(['list.subscribed', 'list.unsubscribed'])
    const lists = listsOf(acme)
    const listId = lists.id('VIP')
    const contactId = await person()
    await lists.add(listId, { contactIds: [contactId] })
    await lists.add(listId, { contactIds: [contactId] })
    await lists.removeOne(listId, contactId)
    await quiet()
    const data = { listId, listName: 'VIP', contactId, occurredAt: expect.any(String) }
    expect(
      receiver
        .at(path)
        .map(({ event, data: received }) => [event, received])
        .sort(),
    ).toEqual([
      ['list.subscribed', data],
      ['list.unsubscribed', data],
    ])
  })

  it('is only what it asked for, of its own workspace, from its creation on', async () => {
    await person()
    const everything = await endpoint(['*', 'order.placed'])
    const nothing = await endpoint(['order.placed'])
    await person({}, other)
    await person()
    await quiet()
    expect(names(nothing.path)).toEqual([])
    expect(names(everything.path)).toEqual(['contact.created', 'contact.created'])
  })
})

describe('a delivery that fails', () => {
  it('is tried again with the same body and deliveryId, until it is taken', async () => {
    const { path } = await endpoint(['contact.created'])
    const answers: readonly Reply[] = [500, null, 404, 204]
    receiver.reply((received, nth) => (received.path === path && nth <= 4 ? (answers[nth - 1] as Reply) : 200))
    await person()
    const tries = await receiver.wait(path, 4)
    await quiet()
    const deliveryId = tries[0]?.deliveryId
    expect(receiver.at(path).filter((received) => received.deliveryId === deliveryId)).toHaveLength(4)
    expect(new Set(tries.map(({ raw }) => raw.toString())).size).toBe(1)
  })

  it('is dropped after the fifth try', async () => {
    const { path, id } = await endpoint(['contact.created'])
    receiver.reply((received) => (received.path === path ? 503 : 200))
    await person()
    await receiver.wait(path, 5)
    await eventually(
      async () =>
        (
          await world.stores.pool.query<{ outcome: string }>(
            'select outcome from webhooks.attempt where endpoint_id = $1 order by number',
            [id],
          )
        ).rows.map(({ outcome }) => outcome),
      (outcomes) => outcomes.join(' ') === 'retrying retrying retrying retrying dropped',
    )
    await acme.request('DELETE', `/public/webhooks/${id}`)
    await quiet()
    expect(receiver.at(path)).toHaveLength(5)
  })

  it('at a redirect is not followed and not tried again', async () => {
    const { path } = await endpoint(['contact.created'])
    receiver.reply((received) => (received.path === path ? 307 : 200))
    await person()
    await receiver.wait(path, 1)
    await quiet()
    // The second is the person that `quiet` makes.
    expect(new Set(receiver.at(path).map(({ deliveryId }) => deliveryId)).size).toBe(receiver.at(path).length)
    expect(receiver.at('/elsewhere')).toEqual([])
  })
})

describe('an endpoint', () => {
  it('that is paused gets nothing, and what happened meanwhile not later either', async () => {
    const { path, id } = await endpoint(['contact.created'])
    await move('PauseWebhook', id)
    await person()
    await quiet()
    expect(names(path)).toEqual([])
    await move('ResumeWebhook', id)
    await person()
    await quiet()
    expect(names(path)).toHaveLength(2)
  })

  it('that is deleted gets nothing more, and its secret is gone from the log', async () => {
    const { path, id } = await endpoint(['contact.created'])
    receiver.reply((received) => (received.path === path ? 500 : 200))
    await person()
    await receiver.wait(path, 1)
    await acme.request('DELETE', `/public/webhooks/${id}`)
    const shredded = async () =>
      (
        await world.stores.pool.query<{ wrapped: Buffer | null }>('select wrapped from keys.subject_key where subject = $1', [
          `webhook:${id}`,
        ])
      ).rows[0]?.wrapped
    await eventually(shredded, (wrapped) => wrapped === null)
    await quiet()
    const { rows } = await world.stores.pool.query('select from webhooks.queue where endpoint_id = $1', [id])
    expect(rows).toEqual([])
  })
})
