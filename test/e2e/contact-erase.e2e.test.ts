import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Recorded } from '@tidings/codec'
import { loadConfig } from '@tidings/config'
import {
  asContactId,
  type ContactEvent,
  type ContactId,
  type ContactLeftFlow,
  type ContactRemovedFromList,
  contactStream,
  escapeHtml,
} from '@tidings/domain'
import { createLog } from '@tidings/observability/log'
import { rebuild } from '@tidings/projections'
import { projections } from '@tidings/projectors'
import { keptTexts } from '@tidings/receipts'
import { untilVisible } from '@tidings/service/read-side'
import { openStores, type Stores } from '@tidings/service/stores'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { dataOf } from './support/answers.ts'
import { type Client, clientOf } from './support/client.ts'
import { columnsThatHold, dump } from './support/database.ts'
import { eventually } from './support/eventually.ts'
import { hourFromNow } from './support/hour-from-now.ts'
import { type Installation, install } from './support/installation.ts'
import { profilesOf } from './support/profiles.ts'
import { runTidings, type ServiceProcess } from './support/service-process.ts'
import { wordsInLog } from './support/stored-log.ts'
import { type Receiver, startReceiver } from './support/webhook-receiver.ts'

/** Words that only this person has; none is a part of anything else. */
const personal = {
  email: 'wilhelmina.quux@private.example',
  moved: 'moved.quux@private.example',
  phone: '+972509876543',
  firstName: 'Wilhelmina',
  lastName: 'Featherstonehaugh',
  notes: 'allergic to peanuts',
  tag: 'vip-of-the-year',
  property: 'shoe size forty-two',
  subject: 'your biopsy results',
  html: 'they are benign',
  large: 'a very long letter indeed',
  agent: 'Netscape Navigator 4.0',
  text: 'the ring is in the blue vase',
  activity: 'a bicycle with one pedal',
  push: 'https://8.8.8.8/push/of-wilhelmina',
  browser: 'Mosaic of Wilhelmina',
} as const

const words = Object.values(personal)
const SCHEMAS = ['es', 'keys', 'ops', 'inbox', 'outbox', 'webhooks', 'lists', 'read', 'public']

const FILE = `workspace: { slug: acme, name: Acme }
apiKeys: [{ name: test }]
senderDomains: [{ domain: acme.example, verified: true }]
senderAddresses: [{ email: hello@acme.example, name: Hello, verified: true }]
smsSenderIds: [{ id: ACME, status: approved }]
features: [embedded_forms]
formOrigins: ["https://shop.example"]
forms: [{ id: footer, list: VIP }]
credits: 100
quietHours: { from: "${hourFromNow(-6)}", to: "${hourFromNow(6)}" }
templates: [{ name: offer, channel: email, subject: "s {{code}}", html: "<p>{{firstName}} {{code}}</p>" }]
lists:
  - { name: VIP, type: static }
  - { name: Named, type: dynamic, rule: { all: [ { field: firstName, op: exists, value: true } ] } }
flows:
  - { name: After order, trigger: { type: custom_event, event: order_placed }, steps: [ { wait: { minutes: 600 } } ] }
  - { name: Mails, trigger: { type: custom_event, event: order_placed }, steps: [ { send: { channel: email, template: offer, from: hello@acme.example } } ] }
customEvents: [{ name: order_placed }]
`

let database: TestDatabase
let installation: Installation
let service: ServiceProcess
let receiver: Receiver
let stores: Stores
let acme: Client
let neighbour: Client
let contactId: ContactId
let heldBefore: readonly string[]
let receivedBefore: number

beforeAll(async () => {
  database = await testDatabase()
  receiver = await startReceiver()
  receiver.reply(() => 500)
  installation = await install(database.url, {
    TIDINGS_LOG_LEVEL: 'debug',
    TIDINGS_WEBHOOK_ALLOW_LOCAL: '1',
    TIDINGS_WEBHOOK_BACKOFF_MS: '10000',
  })
  service = await installation.start()
  const url = `http://127.0.0.1:${installation.env.PORT}`
  acme = clientOf({
    url,
    applied: (await installation.tidings(['apply', '-f', '-'], FILE)) as Client['applied'],
    shown: installation.shown,
  })
  neighbour = await installation.workspace('neighbour')
  stores = await openStores({ config: loadConfig(installation.env, null), log: await createLog({ level: 'error' }), mode: 'command' })
  contactId = asContactId(await live())
  // Consumers bring these after the answers.
  await eventually(memberships, (count) => count === 2)
  await eventually(leftForPerson, (count) => count === 5)
  await settled()
  heldBefore = await columnsThatHold(installation.pool, SCHEMAS, words)
}, 600_000)
afterAll(async () => {
  await service?.end('SIGTERM')
  await stores?.close()
  await receiver?.close()
  await installation?.close()
  await database?.drop()
})

const idempotencyKey = randomUUID()
const profile = {
  email: personal.email,
  phone: personal.phone,
  firstName: personal.firstName,
  lastName: personal.lastName,
  notes: personal.notes,
  tags: [personal.tag],
  customProperties: { [personal.property]: personal.property },
  emailConsent: 'subscribed',
  smsConsent: 'subscribed',
}
const createOnce = () =>
  acme.request('POST', '/public/profiles', profile, { 'User-Agent': personal.agent, 'Idempotency-Key': idempotencyKey })

/** The person in every place that may hold something of them. */
const live = async (): Promise<string> => {
  const hook = { url: `${receiver.url}/deliveries`, events: ['*'] }
  dataOf(await acme.request('POST', '/public/webhooks', hook), 201)
  const { id } = dataOf<{ id: string }>(await createOnce(), 201)
  await profilesOf(acme).patchByEmail({ email: personal.email, newEmail: personal.moved })
  await acme.request('POST', `/public/lists/${acme.applied.lists.VIP}/members`, { contactIds: [id] })
  const event = {
    event: 'order_placed',
    contactId: id,
    properties: {
      what: personal.activity,
      [personal.property]: 1,
      [personal.email]: 2,
      [personal.phone]: { [`${personal.firstName} ${personal.lastName}`]: 3 },
    },
  }
  dataOf(await acme.request('POST', '/events/ingest', event), 200)
  const small = await acme.send(personal.moved, { subject: personal.subject, html: `<p>${personal.html}</p>` })
  const large = await acme.send(personal.moved, { html: personal.large.repeat(4_000) })
  for (const messageId of [small, large]) await acme.messageWith(messageId, 'sent')
  const sms = await acme.request('POST', '/public/messages/sms', { contactId: id, senderId: 'ACME', body: personal.text })
  await acme.messageWith(dataOf<{ messageId: string }>(sms, 202).messageId, 'sent')
  const browser = { endpoint: personal.push, keys: { p256dh: 'key', auth: 'secret' }, browser: personal.browser }
  expect((await acme.request('POST', '/push/subscriptions', { profileId: id, ...browser })).status).toBe(200)
  await eventually(flowMessages, (count) => count === 1)
  for (const channel of ['sms', 'voice'])
    expect((await acme.request('POST', '/otp/send', { phone: personal.phone, channel, senderId: 'ACME' })).status).toBe(200)
  const signUp = {
    email: personal.moved,
    formId: 'footer',
    fields: { firstName: personal.firstName, [personal.property]: personal.property },
  }
  expect((await acme.request('POST', '/forms/subscribe', signUp, { Origin: 'https://shop.example' })).status).toBe(200)
  await profilesOf(neighbour).create({ email: personal.moved, firstName: 'Namesake' })
  await textWaits()
  return id
}

/** As if another process were about to decide the texts that wait, for as long as the test takes: a lease cannot be so long. */
const noTextCanBeLeased = () =>
  installation.pool.query(
    `create function public.leave() returns trigger language plpgsql as 'begin return null; end';
     create trigger leave before update on ops.inbound_text for each row execute function public.leave()`,
  )

/** A text of the person waits. */
const textWaits = async (): Promise<void> => {
  const sms = { id: 'sm-1', providerMessageId: 'sm-1', requestId: 'r', from: personal.phone, to: 'ACME', body: 'the vase is broken' }
  const kept = keptTexts({ pool: installation.pool, keyRing: stores.keyRing })
  const at = new Date().toISOString()
  await noTextCanBeLeased()
  await kept.keep({ sms: { ...sms, at }, number: personal.phone, isStop: false, head: null })
}

const settled = async (): Promise<void> => {
  expect(await untilVisible(stores.pool, await stores.log.head(), { timeoutMs: 180_000 })).toBe(true)
}

/** Deliveries that the receiver has refused so far. */
const waiting = async (): Promise<number | undefined> =>
  (await installation.pool.query<{ waiting: number }>('select count(*)::int as waiting from webhooks.delivery')).rows[0]?.waiting

const flowMessages = async (): Promise<number | null> => (await installation.pool.query('select from ops.flow_message')).rowCount

/** The columns in which the contact's id may stay: in the log, and where its actions are shown or counted without a name. */
const ID_STAYS = [
  'es.event.stream_id',
  'es.event.data',
  'keys.subject_key.subject',
  'ops.erasure.contact_id',
  'read.audit.thing',
  'read.consent_history.contact_id',
  'read.flow_runs.contact_id',
  'read.messages.contact_id',
  'webhooks.attempt.source',
]

const memberships = async (): Promise<number | undefined> =>
  (
    await installation.pool.query<{ left: number }>('select count(*)::int as left from read.list_members where contact_id = $1', [
      contactId,
    ])
  ).rows[0]?.left

/** Two mails, a text and two passcodes. */
const leftForPerson = async (): Promise<number | null> => (await installation.pool.query('select from outbox.message')).rowCount

const eventsOfPerson = async <Event extends ContactLeftFlow | ContactRemovedFromList>(type: Event['type']) => {
  const { events } = await stores.log.readAll('start', 10_000, { types: [type] })
  return (events as readonly Recorded<Event>[]).filter(({ data }) => data.contactId === contactId)
}

const endedMemberships = () => eventsOfPerson<ContactRemovedFromList>('ContactRemovedFromList')
const endedRuns = () => eventsOfPerson<ContactLeftFlow>('ContactLeftFlow')

const erase = () => installation.tidings(['contact', 'erase', '--workspace', 'acme', '--id', contactId])
const timeout = { timeout: 600_000 }

/** The neighbour's contact has the same address, and keeps it. */
const NAMESAKE = ['read.profile_search.text', 'read.profiles.email'].map((column) => `${column}: ${personal.moved}`)

it('is looked through in a way that finds the person before', () => {
  for (const column of ['read.profiles.last_name', 'read.sms_recipients.phone', 'read.consent_history.user_agent', 'outbox.message.html'])
    expect(heldBefore.map((place) => place.split(':')[0])).toContain(column)
})

it('answers an unknown contact with one sentence and exit 1', timeout, async () => {
  const args = ['contact', 'erase', '--workspace', 'acme', '--id', randomUUID()]
  const { code, stderr } = await runTidings(args, installation.env)
  expect(code).toBe(1)
  expect(stderr).toMatch(/^Workspace acme has no contact \S+\.\n$/)
})

it('before that, the person gets everything: to read, and for programs', timeout, async () => {
  const folder = join(await mkdtemp(join(tmpdir(), 'tidings-export-')), 'person')
  const args = ['contact', 'export', '--workspace', 'acme', '--id', contactId, '--out', folder]
  expect(await installation.tidings(args)).toMatchObject({ id: contactId, files: ['contact.json', 'contact.html'] })
  const text = await readFile(join(folder, 'contact.json'), 'utf8')
  const exported = JSON.parse(text) as Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>
  const names = ['profile', 'consent', 'suppressions', 'lists', 'messages', 'events', 'pushSubscriptions', 'flows']
  expect(Object.keys(exported).slice(0, names.length)).toEqual(names)
  expect(exported.profile).toMatchObject({ id: contactId, email: personal.moved, notes: personal.notes })
  expect(exported.consent).toContainEqual(
    expect.objectContaining({ channel: 'email', from: null, to: 'subscribed', userAgent: personal.agent }),
  )
  expect(exported.messages).toHaveLength(4)
  const ofTemplate = exported.messages?.filter(({ templateId }) => templateId !== null) ?? []
  const whole = { subject: 's', html: `<p>${personal.firstName} </p>`, text: null }
  expect(ofTemplate).toEqual([expect.objectContaining({ content: whole })])
  expect(ofTemplate[0]).not.toHaveProperty('merged')
  expect(exported.lists).toHaveLength(2)
  expect(exported.flows).toHaveLength(2)
  const page = await readFile(join(folder, 'contact.html'), 'utf8')
  for (const word of words) expect([text.includes(word), page.includes(escapeHtml(word))]).toEqual([true, true])
  expect(page).not.toContain('<p>they are benign')
  expect(page).not.toMatch(/<script|src=|href=/)
  for (const file of ['contact.json', 'contact.html']) expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600)
  const again = await runTidings(args, installation.env)
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('is not empty')])
})

it('leaves nothing of the person in any table, in the log, in a log line, and says what it took from where', timeout, async () => {
  // What waits is dropped at its next try, which may be before the erasure has ended.
  expect(await waiting()).toBeGreaterThan(0)
  const { id, places } = (await erase()) as { id: string; places: readonly { place: string; cleared: number }[] }
  receivedBefore = receiver.all.length
  receiver.reply(() => 200)
  expect(id).toBe(contactId)
  const cleared = Object.fromEntries(places.map(({ place, cleared: count }) => [place, count]))
  expect(cleared).toMatchObject({ 'claims of addresses': 2, 'content of messages': 1, 'development outbox': 5 })
  expect(cleared).toMatchObject({ 'texts that wait to be taken': 1 })
  // The dynamic list's own review may have found the profile gone before: each membership was ended once, by either.
  expect([1, 2]).toContain(cleared.lists)
  expect(await endedMemberships()).toHaveLength(2)
  expect(await memberships()).toBe(0)
  // So may the run of the mail that waits, where the mail found the profile gone before.
  expect([1, 2]).toContain(cleared.flows)
  expect(await endedRuns()).toHaveLength(2)
  expect(cleared['remembered answers']).toBe(1)
  expect(await columnsThatHold(installation.pool, SCHEMAS, words)).toEqual(NAMESAKE)
  expect(await wordsInLog(stores.store, words)).toEqual([])
  // What waited was made due: its workers find nothing left to do.
  const idColumns = async () => (await columnsThatHold(installation.pool, SCHEMAS, [contactId])).map((found) => found.split(':')[0])
  await expect.poll(idColumns).toEqual(ID_STAYS)
  for (const word of words) expect(service.output()).not.toContain(word)
})

it('the contact is unknown, and its addresses are free', timeout, async () => {
  expect((await acme.request('GET', `/public/profiles/${contactId}`)).status).toBe(404)
  expect((await acme.request('PATCH', `/public/profiles/${contactId}`, { firstName: 'Again' })).status).toBe(404)
  expect(dataOf<{ total: number }>(await acme.request('GET', '/public/profiles'), 200).total).toBe(0)
  const args = ['contact', 'export', '--workspace', 'acme', '--id', contactId, '--out', join(tmpdir(), randomUUID())]
  expect((await runTidings(args, installation.env)).code).toBe(1)
  expect((await createOnce()).body.code).toBe('idempotency_key_reused')
  const other = await profilesOf(acme).create({ email: personal.moved, phone: personal.phone, firstName: 'Other' })
  expect(other.id).not.toBe(contactId)
  expect((await profilesOf(neighbour).lookup(personal.moved)).firstName).toBe('Namesake')
  await installation.tidings(['contact', 'erase', '--workspace', 'acme', '--id', other.id])
})

it('no webhook tells of it, and what waited says nothing of the person', timeout, async () => {
  await expect.poll(waiting, { timeout: 200_000, interval: 250 }).toBe(0)
  // Another contact has two of the addresses by now.
  const own = words.filter((word) => word !== personal.moved && word !== personal.phone)
  const received = receiver.all.slice(receivedBefore).filter(({ raw }) => [contactId, ...own].some((word) => raw.includes(word)))
  expect(received.map(({ event }) => event)).toEqual([])
})

it('the log still shows that consent existed and when, and names no one', timeout, async () => {
  const workspaceId = acme.applied.workspace.id
  const events = await stores.log.readStream<ContactEvent>(workspaceId, contactStream(workspaceId, contactId))
  const consents = events.filter((event) => event.type === 'ContactConsentRecorded')
  expect(consents.map(({ data }) => [data.channel, data.to, data.ip, data.userAgent])).toEqual([
    ['email', 'subscribed', null, null],
    ['sms', 'subscribed', null, null],
    ['push', 'subscribed', null, null],
    ['email', 'subscribed', null, null],
  ])
  for (const { meta } of consents) expect(Date.parse(meta.at)).toBeGreaterThan(0)
  expect(events.slice(-2).map(({ type }) => type)).toEqual(['ContactErasureRequested', 'ContactErased'])
})

it('a second call is fine, and what is rebuilt is what is live', timeout, async () => {
  await erase()
  await settled()
  const live = await dump(installation.pool, 'read')
  for (const projection of projections) expect((await rebuild({ projection, log: stores.log, pool: stores.workPool })).parked).toBe(0)
  expect(await dump(installation.pool, 'read')).toEqual(live)
  expect(await columnsThatHold(installation.pool, SCHEMAS, words)).toEqual(NAMESAKE)
})
