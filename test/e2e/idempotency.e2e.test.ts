import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { coded, outcome, uncoded } from './support/answers.ts'
import type { Answer, Client } from './support/client.ts'
import { outboxOf } from './support/outbox.ts'
import { profilesOf } from './support/profiles.ts'
import { eventsOfWorkspace } from './support/stored-log.ts'
import { startWorld, type World } from './support/world.ts'

let world: World
let initech: Client
let globex: Client

beforeAll(async () => {
  world = await startWorld()
  initech = await world.workspace('initech')
  globex = await world.workspace('globex')
})
afterAll(() => world.stop())

const SEND = '/public/messages/email'
const written = () => eventsOfWorkspace(world.stores.store, initech.applied.workspace.id)
const under = (key: string) => ({ 'Idempotency-Key': key })
const email = (to: string) => ({ to, fromEmail: initech.fromEmail, subject: 'Hello', html: '<p>Hi</p>' })
const replayed = ({ headers }: Answer) => headers.get('idempotent-replayed')

it('a repeated send is the same answer and one email', async () => {
  const key = randomUUID()
  const first = await initech.request('POST', SEND, email('once@example.com'), under(key))
  const second = await initech.request('POST', SEND, email('once@example.com'), under(key))
  expect([first.status, replayed(first)]).toEqual([202, null])
  expect([second.status, replayed(second)]).toEqual([202, 'true'])
  expect(second.body).toEqual(first.body)
  expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'))
  const { messageId } = first.body.data as { messageId: string }
  await initech.messageWith(messageId, 'sent')
  expect(await outboxOf(world).list('?to=once@example.com')).toHaveLength(1)
})

it.each([
  ['POST', '/public/profiles', { email: 'create@example.com' }, 201],
  ['PUT', '/public/profiles', { email: 'create@example.com', emailConsent: 'subscribed' }, 200],
  ['PATCH', '/public/profiles', { email: 'create@example.com', emailConsent: 'unsubscribed' }, 200],
  ['POST', '/public/profiles/blacklist', { email: 'create@example.com', channel: 'both' }, 200],
  ['DELETE', '/public/profiles/blacklist', { email: 'create@example.com', channel: 'both' }, 200],
] as const)('%s %s repeated is replayed, and nothing is written', async (method, path, body, status) => {
  const key = randomUUID()
  const first = await initech.request(method, path, body, under(key))
  expect(first.status).toBe(status)
  const before = await written()
  const second = await initech.request(method, path, body, under(key))
  expect(second).toMatchObject({ status, body: first.body })
  expect(replayed(second)).toBe('true')
  expect(await written()).toEqual(before)
})

it('another body under the same key is refused', async () => {
  const key = randomUUID()
  await initech.request('POST', SEND, email('body@example.com'), under(key))
  const other = await initech.request('POST', SEND, { ...email('body@example.com'), subject: 'Other' }, under(key))
  expect(outcome(other)).toEqual(coded(409, 'idempotency_key_reused'))
  expect(replayed(other)).toBeNull()
})

it('the same key is another one on another path, with another method, in another workspace', async () => {
  const key = randomUUID()
  const created = await initech.request('POST', '/public/profiles', { email: 'scope@example.com' }, under(key))
  const { id } = created.body.data as { id: string }
  const elsewhere = [
    await initech.request('PUT', '/public/profiles', { email: 'scope@example.com' }, under(key)),
    await initech.request('PATCH', `/public/profiles/${id}`, { email: 'scope@example.com' }, under(key)),
    await globex.request('POST', '/public/profiles', { email: 'scope@example.com' }, under(key)),
  ]
  expect(elsewhere.map(({ status }) => status)).toEqual([200, 200, 201])
  expect(elsewhere.map(replayed)).toEqual([null, null, null])
})

it('a refusal is remembered like any answer, even when it would no longer be one', async () => {
  const key = randomUUID()
  const patch = () => initech.request('PATCH', '/public/profiles', { email: 'later@example.com', notes: 'x' }, under(key))
  expect(outcome(await patch())).toEqual(uncoded(404, 'Profile not found'))
  await profilesOf(initech).create({ email: 'later@example.com' })
  const again = await patch()
  expect(outcome(again)).toEqual(uncoded(404, 'Profile not found'))
  expect(replayed(again)).toBe('true')
})

it('parallel requests under one key have one effect', async () => {
  const key = randomUUID()
  const send = () => initech.request('POST', SEND, email('parallel@example.com'), under(key))
  const answers = await Promise.all(Array.from({ length: 20 }, send))
  const accepted = answers.filter(({ status }) => status === 202)
  expect(new Set(accepted.map(({ body }) => (body.data as { messageId: string }).messageId)).size).toBe(1)
  expect(accepted.filter((answer) => replayed(answer) === null)).toHaveLength(1)
  for (const answer of answers.filter(({ status }) => status !== 202)) {
    expect(outcome(answer)).toEqual(coded(409, 'idempotency_in_progress'))
    expect(answer.headers.get('retry-after')).toBe('1')
  }
  const { body } = await initech.request('GET', '/public/profiles?search=parallel@example.com')
  expect(body.data).toMatchObject({ total: 1 })
  const last = await send()
  expect(last).toMatchObject({ status: 202, body: accepted[0]?.body })
})

it('a shape error under a key costs the key nothing', async () => {
  const key = randomUUID()
  expect((await initech.request('POST', SEND, { ...email('shape@example.com'), color: 'red' }, under(key))).status).toBe(400)
  const right = await initech.request('POST', SEND, email('shape@example.com'), under(key))
  expect([right.status, replayed(right)]).toEqual([202, null])
})

it.each(['', 'x'.repeat(256), 'ключ'])('a key that is none is refused: %j', async (key) => {
  const header = Buffer.from(key).toString('latin1')
  expect(outcome(await initech.request('PUT', '/public/profiles', { email: 'k@example.com' }, under(header)))).toEqual(
    uncoded(400, 'Idempotency-Key must be 1 to 255 printable ASCII characters'),
  )
})

it('a key of 255 characters is one, and on a read it means nothing', async () => {
  const key = under(`~ !${'x'.repeat(252)}`)
  expect((await initech.request('PUT', '/public/profiles', { email: 'k@example.com' }, key)).status).toBe(200)
  const reads = [
    await initech.request('GET', '/public/profiles', undefined, key),
    await initech.request('GET', '/public/profiles', undefined, key),
  ]
  expect(reads.map(replayed)).toEqual([null, null])
})
