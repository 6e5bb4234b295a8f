import { randomUUID } from 'node:crypto'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataOf } from './support/answers.ts'
import { type Answer, type Client, clientOf } from './support/client.ts'
import { type Installation, install } from './support/installation.ts'
import { profilesOf } from './support/profiles.ts'
import type { ServiceProcess } from './support/service-process.ts'
import { type Stack, startStack } from './support/stack.ts'

// An erasure by the command line is one by another process: what each API process has cached of the person must be gone when it is answered.

const FILE = `workspace: { slug: acme, name: Acme }
apiKeys: [{ name: test }]
features: [embedded_forms]
formOrigins: ["https://shop.acme.example"]
senderDomains: [{ domain: acme.example, verified: true }]
senderAddresses: [{ email: hello@acme.example, name: Hello, verified: true }]
smsSenderIds: [{ id: ACME, status: approved }]
credits: 1000
lists: [{ name: VIP, type: static }]
forms: [{ id: footer, list: VIP }]
`

let database: TestDatabase
let installation: Installation
let stack: Stack
let applied: Client['applied']
/** Two that write, each with caches of its own; reads come by the gateway. */
let writers: readonly Client[]
let processes: readonly ServiceProcess[]
let gateway: Client

beforeAll(async () => {
  database = await testDatabase()
  installation = await install(database.url, {
    TIDINGS_RATE_LIMIT_DEFAULT: 'off',
    TIDINGS_RATE_LIMIT_KEY: 'off',
    TIDINGS_RATE_LIMIT_FORMS: 'off',
  })
  stack = await startStack(installation.env, [['command-api'], ['command-api'], ['query-api'], ['projectors'], ['consumers']])
  applied = (await installation.tidings(['apply', '-f', '-'], FILE)) as Client['applied']
  processes = stack.processes().slice(0, 2)
  writers = processes.map(({ url }) => clientOf({ url, applied, shown: installation.shown }))
  gateway = clientOf({ url: stack.url, applied, shown: installation.shown })
}, 600_000)
afterAll(async () => {
  await stack?.stop()
  await installation?.close()
  await database?.drop()
})

type Person = Readonly<{ id: string; email: string; phone: string }>

let numbers = 1_000_000
const newPerson = async (): Promise<Person> => {
  const [email, phone] = [`${randomUUID()}@example.com`, `+97250${++numbers}`]
  const { id } = await profilesOf(gateway).create({ email, phone, firstName: 'Ada' })
  return { id, email, phone }
}

const list = () => `/public/lists/${applied.lists.VIP}/members`
const mail = { fromEmail: 'hello@acme.example', subject: 'Hello', html: '<p>Hi</p>' }
const text = { senderId: 'ACME', body: 'Hello' }
const subscription = () => ({ endpoint: `https://8.8.8.8/push/${randomUUID()}`, keys: { p256dh: 'key', auth: 'secret' } })
const event = () => ({ event: `seen_${randomUUID().slice(0, 8)}` })

/** Every request that names a person by id, with what it answers about somebody who is not there. */
const byId = ({ id }: Person) =>
  [
    ['POST', '/public/messages/email', { contactId: id, ...mail }, 404],
    ['POST', '/public/messages/sms', { contactId: id, ...text }, 404],
    ['PATCH', `/public/profiles/${id}`, { firstName: 'Grace' }, 404],
    ['POST', '/public/profiles/blacklist', { contactId: id, channel: 'email' }, 404],
    ['DELETE', '/public/profiles/blacklist', { contactId: id, channel: 'both' }, 404],
    ['POST', '/push/subscriptions', { profileId: id, ...subscription() }, 404],
    ['POST', '/events/ingest', { contactId: id, ...event() }, 200],
    ['POST', list(), { contactIds: [id] }, 200],
    ['DELETE', list(), { contactIds: [id] }, 200],
  ] as const

/** Asked of somebody who is there, so that the process has cached all that it caches. */
const warm = async (client: Client, { id, email, phone }: Person): Promise<void> => {
  for (let twice = 0; twice < 2; twice++) {
    for (const to of [{ contactId: id }, { to: email }])
      dataOf(await client.request('POST', '/public/messages/email', { ...mail, ...to }), 202)
    for (const to of [{ contactId: id }, { to: phone }])
      dataOf(await client.request('POST', '/public/messages/sms', { ...text, ...to }), 202)
    for (const who of [{ contactId: id }, { email }, { phone }]) {
      const answer = await client.request('POST', '/events/ingest', { ...event(), ...who })
      expect(dataOf<{ contactId: string }>(answer, 200).contactId).toBe(id)
    }
    dataOf(await client.request('POST', list(), { contactIds: [id], emails: [email] }), 200)
    dataOf(await client.request('PUT', '/public/profiles', { email, lastName: 'Lovelace' }), 200)
  }
  dataOf(await client.request('DELETE', list(), { contactIds: [id] }), 200)
}

/** One after the other: commands at the same time are a process each, which costs more than all the rest of this file. */
const erase = async (people: readonly Person[]): Promise<void> => {
  for (const { id } of people) await installation.tidings(['contact', 'erase', '--workspace', 'acme', '--id', id])
}

const isUnknownTo = async (client: Client, person: Person): Promise<void> => {
  const before = await gateway.request('GET', `/public/profiles?segmentId=${applied.lists.VIP}`)
  for (const [method, path, body, status] of byId(person)) {
    const answer = await client.request(method, path, body)
    expect([method, path, answer.status]).toEqual([method, path, status])
    if (path === '/events/ingest') expect(answer.body.data).toMatchObject({ status: 'no_contact', contactId: null })
    if (path === list()) expect(answer.body.data).toMatchObject(method === 'POST' ? { added: 0 } : { removed: 0 })
  }
  for (const path of [`/public/profiles/${person.id}`, `/public/profiles/lookup?email=${encodeURIComponent(person.email)}`])
    expect([path, (await gateway.request('GET', path)).status]).toEqual([path, 404])
  const after = await gateway.request('GET', `/public/profiles?segmentId=${applied.lists.VIP}`)
  expect(dataOf<{ total: number }>(after, 200).total).toBe(dataOf<{ total: number }>(before, 200).total)
}

/** The ways in which a stranger with an address becomes a contact. */
const STRANGERS = {
  'an email': (client: Client, { email }: Person) => client.request('POST', '/public/messages/email', { to: email, ...mail }),
  'a text message': (client: Client, { phone }: Person) => client.request('POST', '/public/messages/sms', { to: phone, ...text }),
  'an event of an id and an address': (client: Client, { id, email }: Person) =>
    client.request('POST', '/events/ingest', { contactId: id, email, ...event() }),
  'an event of a number': (client: Client, { phone }: Person) => client.request('POST', '/events/ingest', { phone, ...event() }),
  'an upsert': (client: Client, { email }: Person) => client.request('PUT', '/public/profiles', { email }),
  'a creation': (client: Client, { email, phone }: Person) => client.request('POST', '/public/profiles', { email, phone }),
  'a membership': (client: Client, { email }: Person) => client.request('POST', list(), { emails: [email] }),
  'a form': (client: Client, { email }: Person) =>
    client.request('POST', '/forms/subscribe', { email, formId: 'footer' }, { Origin: 'https://shop.acme.example' }),
} as const satisfies Record<string, (client: Client, person: Person) => Promise<Answer>>

const isANewContact = async (person: Person): Promise<void> => {
  const found = dataOf<{ items: readonly { id: string; firstName: string | null; lastName: string | null }[] }>(
    await gateway.request('GET', `/public/profiles?search=${encodeURIComponent(person.email)}`),
    200,
  )
  const others = dataOf<typeof found>(await gateway.request('GET', `/public/profiles?search=${encodeURIComponent(person.phone)}`), 200)
  const all = [...found.items, ...others.items]
  expect(all.map(({ id }) => id)).not.toContain(person.id)
  expect(all.map(({ firstName, lastName }) => [firstName, lastName])).toContainEqual([null, null])
}

describe('a person that another process has erased', () => {
  it('is unknown to every process that had cached them, and their addresses are those of a stranger', { timeout: 600_000 }, async () => {
    const names = Object.keys(STRANGERS) as (keyof typeof STRANGERS)[]
    const people = await Promise.all(names.map(newPerson))
    for (const client of writers) for (const person of people) await warm(client, person)
    await erase(people)
    for (const [n, name] of names.entries()) {
      const person = people[n]!
      for (const client of writers) await isUnknownTo(client, person)
      // The first process makes the contact, the second finds it.
      const answers = [await STRANGERS[name](writers[n % 2]!, person), await STRANGERS[name](writers[(n + 1) % 2]!, person)]
      const statuses = answers.map(({ status }) => status)
      expect([name, ...statuses]).toEqual([name, expect.any(Number), expect.any(Number)])
      for (const status of statuses) expect([name, status < 500]).toEqual([name, true])
      expect([name, statuses[0]! < 300]).toEqual([name, true])
      await isANewContact(person)
    }
  })

  it('is unknown to a process that slept through it, when it wakes', { timeout: 600_000 }, async () => {
    const people = await Promise.all([newPerson(), newPerson()])
    for (const client of writers) for (const person of people) await warm(client, person)
    const [sleeper, client] = [processes[1]!, writers[1]!]
    process.kill(sleeper.pid, 'SIGSTOP')
    try {
      const asked = Promise.all(people.map((person) => client.request('POST', '/public/messages/email', { contactId: person.id, ...mail })))
      await erase(people)
      process.kill(sleeper.pid, 'SIGCONT')
      expect((await asked).map(({ status }) => status)).toEqual([404, 404])
    } finally {
      process.kill(sleeper.pid, 'SIGCONT')
    }
    for (const person of people) await isUnknownTo(client, person)
    expect((await STRANGERS['an email'](client, people[0]!)).status).toBe(202)
    await isANewContact(people[0]!)
  })
})
