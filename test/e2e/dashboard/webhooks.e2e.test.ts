import { createHmac } from 'node:crypto'
import { createCommandRunner } from '@tidings/commands'
import { asContactId, asWorkspaceId, contact, contactStream } from '@tidings/domain'
import { PATIENT_MS } from '@tidings/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { coded, dataOf, outcome, uncoded } from '../support/answers.ts'
import type { Client } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { profilesOf } from '../support/profiles.ts'
import { storedEvents } from '../support/stored-log.ts'
import { call, newLink, type Session, sessionOf } from '../support/users.ts'
import { type Receiver, startReceiver } from '../support/webhook-receiver.ts'
import { startWorld, type World } from '../support/world.ts'

// What the screens of webhooks ask for.

const users = (slug: string) => `users:
  - { email: admin@${slug}.example, password: correct horse battery, role: admin }
  - { email: member@${slug}.example, password: correct horse battery, role: member }`

let world: World
let receiver: Receiver
let acme: Client
let admin: Session
let member: Session
let stranger: Session
beforeAll(async () => {
  receiver = await startReceiver()
  // A second try comes after an hour: what failed once waits.
  world = await startWorld({
    TIDINGS_WEBHOOK_ALLOW_LOCAL: '1',
    TIDINGS_WEBHOOK_BACKOFF_MS: '3600000',
    TIDINGS_WEBHOOK_TIMEOUT_MS: '60000',
    TIDINGS_WEBHOOK_STANDARD_HEADERS: '1',
    TIDINGS_RATE_LIMIT_SESSION: 'off',
  })
  acme = await world.workspace('hooks', users('hooks'))
  const other = await world.workspace('hooks-2', users('hooks-2'))
  const sessions = [
    [acme, 'admin@hooks.example'],
    [acme, 'member@hooks.example'],
    [other, 'admin@hooks-2.example'],
  ] as const
  const signedIn = sessions.map(async ([client, email]) =>
    sessionOf(
      world.url,
      await call(world.url, 'POST /auth/link', { body: { token: await newLink(world.stores, client, email) } }),
      world.settle,
    ),
  )
  const [one, two, three] = await Promise.all(signedIn)
  if (!one || !two || !three) throw new Error('three were asked for')
  ;[admin, member, stranger] = [one, two, three]
})
afterAll(async () => {
  await world?.stop()
  await receiver?.close()
})

type Endpoint = Readonly<{ id: string; signingSecret: string }>
type Watched = Readonly<{ id: string; active: boolean; waiting: number; lastHour: Counts; lastDay: Counts }>
type Counts = Readonly<{ delivered: number; retrying: number; dropped: number }>
type AskedDelivery = Readonly<{ deliveryId: string; state: string }>
type Tries = Readonly<{ items: readonly Readonly<{ deliveryId: string; outcome: string; event: string }>[]; next_cursor: string | null }>
type Delivery = Readonly<{ status: string; body: string | null; headers: Readonly<Record<string, string>>; because: string | null }>

const create = async (path: string, events: readonly string[]): Promise<Endpoint> =>
  dataOf<Endpoint>(await admin.call('POST /dashboard/webhooks', { body: { url: `${receiver.url}${path}`, events } }), 201)
const hook = (id: string, more = '') => `/dashboard/webhooks/${id}${more}`
const ask = async (route: string): Promise<AskedDelivery> => dataOf<AskedDelivery>(await admin.call(`POST ${route}`, { body: {} }), 202)
const watched = async (id: string) => dataOf<Watched>(await admin.call(`GET ${hook(id)}`), 200)
const tries = async (id: string, query = '') => dataOf<Tries>(await admin.call(`GET ${hook(id, `/deliveries${query}`)}`), 200)
const delivery = async (id: string, deliveryId: string) =>
  dataOf<Delivery>(await admin.call(`GET ${hook(id, `/deliveries/${deliveryId}`)}`), 200)
const tried = (id: string, count: number) =>
  eventually(
    () => tries(id),
    ({ items }) => items.length >= count,
  )
const signatureOf = (secret: string, body: Buffer | string) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

describe('a test delivery', () => {
  it('goes signed to an endpoint that wants something else, and leaves no fact in the log', async () => {
    receiver.reply(() => 200)
    const { id, signingSecret } = await create('/test', ['order.completed'])
    const before = (await storedEvents(world.stores.store)).length
    const asked = await ask(hook(id, '/test'))
    expect(asked.state).toBe('asked')
    const [received] = await receiver.wait('/test', 1)
    expect(received).toMatchObject({ event: 'webhook.test', deliveryId: asked.deliveryId, data: {} })
    expect(received?.headers).toMatchObject({
      'x-sender-event': 'webhook.test',
      'x-sender-delivery': asked.deliveryId,
      'x-sender-signature': signatureOf(signingSecret, received?.raw ?? ''),
      'webhook-id': asked.deliveryId,
    })
    const { items } = await tried(id, 1)
    expect(items).toMatchObject([{ deliveryId: asked.deliveryId, event: 'webhook.test', outcome: 'delivered' }])
    expect((await storedEvents(world.stores.store)).length).toBe(before)
    expect(await watched(id)).toMatchObject({ waiting: 0, lastHour: { delivered: 1, retrying: 0, dropped: 0 }, lastDay: { delivered: 1 } })
    const shown = await delivery(id, asked.deliveryId)
    expect(shown).toMatchObject({ status: 'delivered', body: received?.raw.toString() })
    expect(Object.keys(shown.headers)).not.toEqual(expect.arrayContaining([expect.stringMatching(/signature|timestamp/)]))
  })

  it('is the same one under the same Idempotency-Key, and no more than ten a minute reach an endpoint', async () => {
    const { id } = await create('/many', ['*'])
    const again = { body: {}, headers: { 'Idempotency-Key': 'press-1' } }
    const presses = await Promise.all([1, 2].map(() => admin.call(`POST ${hook(id, '/test')}`, again)))
    const answered = presses.filter(({ status }) => status === 202).map((answer) => dataOf<AskedDelivery>(answer, 202).deliveryId)
    expect(new Set(answered).size).toBe(1)
    for (let n = 1; n < 10; n++) await ask(hook(id, '/test'))
    expect(outcome(await admin.call(`POST ${hook(id, '/test')}`, { body: {} }))).toEqual(coded(429, 'webhook_asked_too_often'))
    await receiver.wait('/many', 10)
    await tried(id, 10)
    expect(receiver.at('/many')).toHaveLength(10)
  })

  it('is for admins of its own workspace, and for an endpoint that is there and active', async () => {
    const { id } = await create('/closed', ['*'])
    const routes = [
      '/test',
      `/deliveries/${crypto.randomUUID()}/again`,
      `/deliveries/${crypto.randomUUID()}/signature`,
      '/pause',
      '/resume',
    ]
    for (const more of routes) {
      expect(outcome(await member.call(`POST ${hook(id, more)}`, { body: {} }))).toEqual(coded(403, 'role_required'))
      expect((await stranger.call(`POST ${hook(id, more)}`, { body: {} })).status).toBe(404)
    }
    for (const more of ['', '/deliveries']) expect((await stranger.call(`GET ${hook(id, more)}`)).status).toBe(404)
    expect(dataOf<Watched>(await admin.call(`POST ${hook(id, '/pause')}`, { body: {} }), 200).active).toBe(false)
    expect(outcome(await admin.call(`POST ${hook(id, '/test')}`, { body: {} }))).toEqual(coded(409, 'webhook_paused'))
    expect(dataOf<Watched>(await admin.call(`POST ${hook(id, '/resume')}`, { body: {} }), 200).active).toBe(true)
    expect((await ask(hook(id, '/test'))).state).toBe('asked')
    await receiver.wait('/closed', 1)
    await admin.call(`DELETE ${hook(id)}`)
    expect(outcome(await admin.call(`POST ${hook(id, '/test')}`, { body: {} }))).toEqual(uncoded(404, 'Webhook not found'))
  })

  it('ends with its endpoint, also while it is under way', async () => {
    receiver.reply(({ path }) => (path === '/ends' ? 'never' : 200))
    const { id } = await create('/ends', ['*'])
    await ask(hook(id, '/test'))
    await receiver.wait('/ends', 1)
    await admin.call(`DELETE ${hook(id)}`)
    const left = async () =>
      (
        await world.stores.pool.query<{ left: number }>(
          `select ((select count(*) from webhooks.queue where endpoint_id = $1) + (select count(*) from webhooks.delivery where endpoint_id = $1)
             + (select count(*) from webhooks.outcomes where endpoint_id = $1))::int as left`,
          [id],
        )
      ).rows[0]?.left
    expect(await eventually(left, (count) => count === 0)).toBe(0)
  })

  it('follows no redirect', async () => {
    receiver.reply(({ path }) => (path === '/redirects' ? 307 : 200))
    const redirects = await create('/redirects', ['*'])
    await ask(hook(redirects.id, '/test'))
    expect((await tried(redirects.id, 1)).items).toMatchObject([{ outcome: 'dropped', status: 307 }])
    expect(receiver.at('/elsewhere')).toEqual([])
  })
})

describe('a delivery', () => {
  it('that failed says why, what was in it, and is delivered again once for a double press: the same body and id', async () => {
    receiver.reply(() => 503)
    const { id, signingSecret } = await create('/failed', ['contact.created'])
    await profilesOf(acme).create({ email: 'ada@hooks.example', firstName: 'Ada' })
    const [first] = await receiver.wait('/failed', 1)
    const deliveryId = first?.deliveryId ?? ''
    await tried(id, 1)
    const shown = await delivery(id, deliveryId)
    expect(shown).toMatchObject({ status: 'waits', because: 'the receiver answered 503', body: first?.raw.toString() })
    expect(await watched(id)).toMatchObject({ waiting: 1, lastHour: { delivered: 0, retrying: 1 } })

    receiver.reply(() => 200)
    const again = hook(id, `/deliveries/${deliveryId}/again`)
    expect(await ask(again)).toEqual({ deliveryId, state: 'waits' })
    expect(await ask(again)).toEqual({ deliveryId, state: 'repeated' })
    const [, second] = await receiver.wait('/failed', 2)
    expect(second?.raw).toEqual(first?.raw)
    await tried(id, 2)
    expect((await delivery(id, deliveryId)).status).toBe('delivered')
    expect(receiver.at('/failed')).toHaveLength(2)

    const signed = dataOf<Readonly<{ url: string; headers: Readonly<Record<string, string>>; body: string; expiresAt: string }>>(
      await admin.call(`POST ${hook(id, `/deliveries/${deliveryId}/signature`)}`, { body: {} }),
      200,
    )
    expect(signed).toMatchObject({ url: `${receiver.url}/failed`, body: first?.raw.toString() })
    expect(signed.headers['x-sender-signature']).toBe(signatureOf(signingSecret, signed.body))
    expect(Date.parse(signed.expiresAt)).toBe(Number(signed.headers['webhook-timestamp']) * 1_000 + 300_000)
  })

  it('that arrived is delivered again, also where its endpoint was paused since', async () => {
    receiver.reply(() => 200)
    const { id } = await create('/arrived', ['contact.created'])
    await profilesOf(acme).create({ email: 'eve@hooks.example' })
    const [first] = await receiver.wait('/arrived', 1)
    await tried(id, 1)
    for (const move of ['pause', 'resume']) await admin.call(`POST ${hook(id, `/${move}`)}`, { body: {} })
    expect((await ask(hook(id, `/deliveries/${first?.deliveryId}/again`))).state).toBe('asked')
    const [, second] = await receiver.wait('/arrived', 2)
    expect(second?.raw).toEqual(first?.raw)
    const { items } = await tried(id, 2)
    expect(items.map((one) => one.deliveryId)).toEqual([first?.deliveryId, first?.deliveryId])
  })

  it('of an erased person has no body any more, and goes nowhere again', async () => {
    receiver.reply(() => 200)
    const { id } = await create('/erased', ['contact.created'])
    const person = await profilesOf(acme).create({ email: 'gone@hooks.example' })
    const [first] = await receiver.wait('/erased', 1)
    await tried(id, 1)
    const contactId = asContactId(person.id)
    const workspaceId = asWorkspaceId(acme.applied.workspace.id)
    await createCommandRunner({ log: world.stores.log, deadlineMs: PATIENT_MS }).execute({
      decider: contact,
      stream: contactStream(workspaceId, contactId),
      command: { type: 'RequestErasure', data: { contactId } },
      context: { commandId: crypto.randomUUID(), workspaceId, actor: 'operator', requestId: 'test', at: new Date().toISOString() },
    })
    const deliveryId = first?.deliveryId ?? ''
    expect(
      (
        await eventually(
          () => delivery(id, deliveryId),
          ({ body }) => body === null,
        )
      ).body,
    ).toBeNull()
    for (const more of ['again', 'signature'])
      expect(outcome(await admin.call(`POST ${hook(id, `/deliveries/${deliveryId}/${more}`)}`, { body: {} }))).toEqual(
        coded(409, 'webhook_delivery_gone'),
      )
  })

  it('is of its endpoint and workspace alone, and tries are paged by their number', async () => {
    receiver.reply(() => 200)
    const [{ id }, other] = [await create('/paged', ['*']), await create('/other', ['order.completed'])]
    const asked: string[] = []
    for (let n = 0; n < 3; n++) asked.push((await ask(hook(id, '/test'))).deliveryId)
    await tried(id, 3)
    const first = await tries(id, '?limit=2')
    const rest = await tries(id, `?limit=2&after=${first.next_cursor}`)
    expect(rest.next_cursor).toBeNull()
    expect([...first.items, ...rest.items].map(({ deliveryId }) => deliveryId).toSorted()).toEqual(asked.toSorted())
    expect((await admin.call(`GET ${hook(id, '/deliveries?after=nonsense')}`)).status).toBe(400)
    const [deliveryId = ''] = asked
    const elsewhere = [
      [admin, hook(other.id, `/deliveries/${deliveryId}`)],
      [stranger, hook(id, `/deliveries/${deliveryId}`)],
    ] as const
    for (const [session, route] of elsewhere) {
      expect(outcome(await session.call(`GET ${route}`))).toEqual(uncoded(404, 'Delivery not found'))
      for (const more of ['again', 'signature'])
        expect(outcome(await session.call(`POST ${route}/${more}`, { body: {} }))).toEqual(uncoded(404, 'Delivery not found'))
    }
  })
})
