import type { MessageExplained } from '@tidings/evidence'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { dataOf } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { type Installation, install } from './support/installation.ts'
import { runTidings, type ServiceProcess } from './support/service-process.ts'
import { type Receiver, startReceiver } from './support/webhook-receiver.ts'

let database: TestDatabase
let installation: Installation
let service: ServiceProcess
let receiver: Receiver
let acme: Client

beforeAll(async () => {
  ;[database, receiver] = await Promise.all([testDatabase(), startReceiver()])
  installation = await install(database.url, { TIDINGS_WEBHOOK_ALLOW_LOCAL: '1', TIDINGS_WEBHOOK_BACKOFF_MS: '20' })
  service = await installation.start()
  acme = await installation.workspace('acme')
})
afterAll(async () => {
  await service?.end('SIGTERM')
  await receiver?.close()
  await installation?.close()
  await database?.drop()
})

type Person = Readonly<{ id: string; createdAt: string }>
const person = async (email: string): Promise<Person> =>
  dataOf<Person>(await acme.request('POST', '/public/profiles', { email, emailConsent: 'subscribed', emailConsentSource: 'till' }), 201)
const ofAcme = (...args: readonly string[]) => [...args, '--workspace', 'acme']
const UNKNOWN = '00000000-0000-7000-8000-000000000000'

it('tidings consent show: the consent of a contact, now and at a moment', async () => {
  const { id, createdAt } = await person('ada@people.example')
  const show = ofAcme('consent', 'show', '--id', id)
  const entry = {
    channel: 'email',
    from: null,
    to: 'subscribed',
    source: 'till',
    at: createdAt,
    actor: `api_key:${acme.applied.apiKeys[0]?.id}`,
    ip: '127.0.0.1',
  }
  expect(await installation.tidings([...show, '--at', createdAt])).toEqual({
    contactId: id,
    at: createdAt,
    channels: { email: 'subscribed', sms: 'never_subscribed', push: 'never_subscribed' },
    history: [{ ...entry, userAgent: expect.any(String), requestId: expect.any(String), position: expect.stringMatching(/^\d{20}/) }],
  })
  const page = await runTidings(show, installation.env)
  expect(page).toMatchObject({ code: 0, stderr: '' })
  expect(page.stdout).toMatch(
    /^email {2}subscribed {8}since \S+, source till, by api_key:\S+, from 127\.0\.0\.1, with .*\nsms {4}never_subscribed {2}nothing was ever said\n/,
  )
  expect(await runTidings([...show, '--at', '2020-01-01'], installation.env)).toMatchObject({
    code: 1,
    stderr: `Workspace acme has no contact ${id} at 2020-01-01T00:00:00.000Z: it did not exist, or it was erased. \`consent export\` of the id proves what is left of an erased one.\n`,
  })
  expect(await runTidings([...show, '--at', 'yesterday'], installation.env)).toMatchObject({ code: 2, stdout: '' })
})

it('tidings message why: one page for people, one document for scripts', async () => {
  const { id: contactId } = await person('eve@people.example')
  const messageId = await acme.send('eve@people.example')
  await acme.messageWith(messageId, 'sent')
  const { message, facts } = (await installation.tidings(ofAcme('message', 'why', '--id', messageId.toUpperCase()))) as MessageExplained
  expect(message).toMatchObject({ id: messageId, channel: 'email', status: 'sent', to: 'eve@people.example', contactId })
  expect(facts.map(({ type }) => type)).toEqual(expect.arrayContaining(['ContactConsentRecorded', 'EmailAccepted', 'MessageSent']))
  const page = await runTidings(ofAcme('message', 'why', '--id', messageId), installation.env)
  expect(page).toMatchObject({ code: 0, stderr: '' })
  const [head, blank, ...rows] = page.stdout.trimEnd().split('\n')
  expect([head, blank]).toEqual([`The email message ${messageId} to eve@people.example is sent.`, ''])
  // One page, whose columns stand under each other.
  expect(rows).toHaveLength(facts.length)
  const column = rows[0]?.indexOf(facts[0]?.says ?? '') ?? -1
  expect(column).toBeGreaterThan(0)
  expect(rows.map((row) => row.slice(column))).toEqual(facts.map(({ says }) => says))
  expect(rows.length).toBeLessThan(24)
  const unknown = await runTidings(ofAcme('message', 'why', '--id', contactId), installation.env)
  expect(unknown).toMatchObject({ code: 1, stderr: `Workspace acme has no message ${contactId}.\n` })
})

it('tidings webhook why: what a delivery reports, its tries, and why it was dropped', async () => {
  receiver.reply(() => 301)
  const made = await acme.request('POST', '/public/webhooks', { url: `${receiver.url}/hook`, events: ['contact.created'] })
  dataOf(made, 201)
  const { id: contactId } = await person('kay@people.example')
  const [received] = await receiver.wait('/hook', 1)
  const why = ['webhook', 'why', '--delivery', received?.deliveryId ?? '']
  const explanation = await eventually(
    async () => await runTidings([...why, '--json'], installation.env),
    ({ code }) => code === 0,
  )
  expect(JSON.parse(explanation.stdout)).toMatchObject({
    delivery: {
      ...{ id: received?.deliveryId, event: 'contact.created', url: `${receiver.url}/hook`, status: 'dropped', nextAt: null },
      because: 'the receiver answered 301 at try 1, after which none follows',
      tries: [{ attempt: 1, outcome: 'dropped', status: 301 }],
    },
    facts: [
      { type: 'WebhookEndpointCreated' },
      { type: 'ContactCreated', says: `fired contact.created, about contact ${contactId}` },
      { type: 'ContactCreated', says: expect.stringMatching(/^try 1 at \S+: 301 after \d+ ms, dropped$/) },
    ],
  })
  const unknown = await runTidings(['webhook', 'why', '--delivery', UNKNOWN, '--workspace', 'acme'], installation.env)
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining(`No delivery ${UNKNOWN} waits`) })
})
