import { type TestDatabase, testDatabase } from '@tidings/testing'
import { type SmtpSink, startSmtpSink } from '@tidings/testing/smtp-sink'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { dataOf } from './support/answers.ts'
import { type Client, clientOf, shownFetch } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { type Installation, install } from './support/installation.ts'
import { listsOf } from './support/lists.ts'
import { profilesOf } from './support/profiles.ts'
import { type Stack, startStack } from './support/stack.ts'

// Once a stop is answered, by whichever process, nothing leaves but what the relay has in its hands (M43). The relay answers no mail before the
// test lets it, so what it has been handed is known, and the rest waits for its sessions in the process of the consumers.

const PEOPLE = 12
/** The last of the sessions of one process is for another workspace, and the last two are not for marketing. */
const SESSIONS = 4
const MARKETING = SESSIONS - 2
const TRANSACTIONAL = SESSIONS - 1

let database: TestDatabase
let relay: SmtpSink
let installation: Installation
let stack: Stack
let gate: PromiseWithResolvers<void>
/** The recipients of what the relay was handed, answered or not. */
let handed: string[]
beforeAll(async () => {
  database = await testDatabase()
  relay = await startSmtpSink()
  relay.answers.data = async ({ to }) => {
    handed.push(...to)
    await gate.promise
    return undefined
  }
  installation = await install(database.url, {
    TIDINGS_EMAIL_PROVIDER: relay.url,
    TIDINGS_SMTP_CONNECTIONS: String(SESSIONS),
    // A session that waits longer for the answer to a mail is replaced by another: no test takes so long.
    TIDINGS_PROVIDER_TIMEOUT_MS: '300000',
  })
  stack = await startStack(installation.env, [['command-api'], ['command-api'], ['query-api'], ['projectors'], ['consumers']])
}, 600_000)
afterAll(async () => {
  await stack?.stop()
  await installation?.close()
  await relay?.stop()
  await database?.drop()
})
beforeEach(() => {
  gate = Promise.withResolvers()
  handed = []
})
afterEach(() => gate.resolve())

const fileOf = (slug: string): string => `workspace: { slug: ${slug}, name: ${slug} }
apiKeys: [{ name: test }]
senderDomains: [{ domain: ${slug}.example, verified: true }]
senderAddresses: [{ email: hello@${slug}.example, name: Hello, verified: true }]
templates: [{ name: news, channel: email, subject: News, html: "<p>News</p>" }]
lists: [{ name: All, type: static }]
campaigns:
  - { name: First, channel: email, list: All, from: hello@${slug}.example, template: news }
  - { name: Second, channel: email, list: All, from: hello@${slug}.example, template: news }`

type Person = Readonly<{ id: string; email: string }>
type World = Readonly<{
  client: Client
  people: readonly Person[]
  campaign: (name: string, ...args: readonly string[]) => Promise<unknown>
}>

const worldOf = async (slug: string): Promise<World> => {
  const applied = (await installation.tidings(['apply', '-f', '-'], fileOf(slug))) as Client['applied']
  const client = clientOf({ url: stack.url, applied, shown: installation.shown })
  const people = await Promise.all(
    Array.from({ length: PEOPLE }, async (_, n) => {
      const email = `p${n}@${slug}.people.example`
      return { id: (await profilesOf(client).create({ email, emailConsent: 'subscribed' })).id, email }
    }),
  )
  const lists = listsOf(client)
  await lists.add(lists.id('All'), { contactIds: people.map(({ id }) => id) })
  const campaign: World['campaign'] = (name, ...args) =>
    installation.tidings(['campaign', ...args, '--workspace', slug, '--id', applied.campaigns[name] ?? ''])
  return { client, people, campaign }
}

const claimed = async ({ client }: World): Promise<number> => {
  const values = [client.applied.workspace.id]
  return (await installation.pool.query('select from inbox.job where workspace_id = $1 and token is not null', values)).rowCount ?? 0
}
/** Waits until all of them have passed their early look, and the sessions that they may have are taken. */
const untilFull = async (world: World, sessions: number): Promise<void> => {
  await eventually(
    () => claimed(world),
    (count) => count === PEOPLE,
  )
  await eventually(
    async () => handed.length,
    (count) => count === sessions,
  )
}
const untilNothingIsClaimed = (world: World) =>
  eventually(
    () => claimed(world),
    (count) => count === 0,
  )
/** A campaign that is under way: its first mails are in the hands of the relay, and the others wait for it. */
const underWay = async (slug: string): Promise<World & Readonly<{ others: readonly Person[] }>> => {
  const world = await worldOf(slug)
  await world.campaign('First', 'start')
  await untilFull(world, MARKETING)
  return { ...world, others: othersIn(world) }
}
const othersIn = ({ people }: World): readonly Person[] => people.filter(({ email }) => !handed.includes(email))
const shown = async ({ campaign }: World, name = 'First') =>
  (await campaign(name, 'show')) as { sent: number; skipped: Record<string, number> }
const untilShown = (world: World, isWanted: (now: Awaited<ReturnType<typeof shown>>) => boolean, name = 'First') =>
  eventually(() => shown(world, name), isWanted)
const emails = (people: readonly Person[]): readonly string[] => people.map(({ email }) => email).toSorted()

describe('of a campaign under way, after the answer to', () => {
  it('its cancellation, nothing leaves but what the relay has', async () => {
    const world = await underWay('cancelled')
    await world.campaign('First', 'cancel')
    gate.resolve()
    await untilShown(world, ({ sent, skipped }) => sent === MARKETING && skipped.campaign_cancelled === PEOPLE - MARKETING)
    expect(handed).toHaveLength(MARKETING)
  })

  it('its pause, nothing leaves but what the relay has, and each of the others once after the resume', async () => {
    const world = await underWay('paused')
    await world.campaign('First', 'pause')
    gate.resolve()
    await untilNothingIsClaimed(world)
    expect(handed).toHaveLength(MARKETING)
    await world.campaign('First', 'resume')
    await untilShown(world, ({ sent }) => sent === PEOPLE)
    expect(handed.toSorted()).toEqual(emails(world.people))
  })

  it('the suspension of its workspace, nothing leaves but what the relay has, and each of the others once after the resume', async () => {
    const world = await underWay('suspended')
    await installation.tidings(['workspace', 'suspend', 'suspended'])
    gate.resolve()
    await untilNothingIsClaimed(world)
    expect(handed).toHaveLength(MARKETING)
    await installation.tidings(['workspace', 'resume', 'suspended'])
    await untilShown(world, ({ sent }) => sent === PEOPLE)
    expect(handed.toSorted()).toEqual(emails(world.people))
  })

  it('an erasure, nothing leaves to that person', async () => {
    const world = await underWay('erased')
    const [one, two, ...rest] = world.others
    for (const id of [one?.id ?? '', two?.id ?? '']) await installation.tidings(['contact', 'erase', '--workspace', 'erased', '--id', id])
    expect(handed).toHaveLength(MARKETING)
    gate.resolve()
    await untilShown(world, ({ sent }) => sent === PEOPLE - 2)
    expect(othersIn(world).map(({ email }) => email)).toEqual([one?.email, two?.email])
    expect(rest).toHaveLength(PEOPLE - MARKETING - 2)
  })

  it('a blacklisting, and to a change of the address, nothing leaves to that person', async () => {
    const world = await underWay('blacklisted')
    const [one, two] = world.others
    await profilesOf(world.client).blacklist({ contactId: one?.id, channel: 'email' })
    await profilesOf(world.client).patchByEmail({ email: two?.email, newEmail: 'moved@elsewhere.example' })
    gate.resolve()
    await untilShown(world, ({ sent, skipped }) => sent === PEOPLE - 2 && skipped.address_changed === 1)
    expect(othersIn(world).map(({ email }) => email)).toEqual([one?.email, two?.email])
    expect(handed).not.toContain('moved@elsewhere.example')
  })

  it('an unsubscription by the link in an earlier mail, nothing leaves to that person', async () => {
    const world = await worldOf('unsubscribed')
    gate.resolve()
    await world.campaign('First', 'start')
    await untilShown(world, ({ sent }) => sent === PEOPLE)
    const links = new Map(relay.mails.flatMap(({ to, raw }) => to.map((email) => [email, unsubscribeLinkIn(raw)] as const)))
    gate = Promise.withResolvers()
    handed = []
    await world.campaign('Second', 'start')
    await untilFull(world, MARKETING)
    const left = othersIn(world).slice(0, 3)
    for (const { email } of left) expect(await unsubscribe(links.get(email))).toBe(200)
    gate.resolve()
    await untilShown(world, ({ sent, skipped }) => sent === PEOPLE - 3 && skipped.no_consent === 3, 'Second')
    expect(othersIn(world)).toEqual(left)
  })
})

/** RFC 8058, as a mail program does it. */
const unsubscribeLinkIn = (raw: string): string => {
  const header = /^List-Unsubscribe:((?:.*\r?\n[ \t])*.*)$/im.exec(raw)?.[1] ?? ''
  return /<(https?:[^>]+)>/.exec(header.replace(/\s+/g, ''))?.[1] ?? 'none'
}
const unsubscribe = async (link = 'none'): Promise<number> => {
  const { search } = new URL(link)
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const init = { method: 'POST', headers, body: 'List-Unsubscribe=One-Click' }
  return (await shownFetch(installation.shown, `${stack.url}/u${search}`, init)).status
}

describe('of transactional mail that waits for the relay, after the answer to a change of the address', () => {
  it('what was sent to the contact goes to the new one, and what was sent to the address there (M45)', async () => {
    const world = await worldOf('readdressed')
    const content = { fromEmail: world.client.fromEmail, subject: 'Yours', html: '<p>Yours</p>' }
    const send = async (body: object) =>
      dataOf<{ messageId: string }>(await world.client.request('POST', '/public/messages/email', { ...content, ...body }), 202).messageId
    // Each second one names the address.
    const ids = await Promise.all(world.people.map(({ id, email }, n) => send(n % 2 === 0 ? { contactId: id } : { to: email })))
    await untilFull(world, TRANSACTIONAL)
    const waiting = othersIn(world)
    const [named, addressed] = [0, 1].map((rest) => waiting.find((person) => world.people.indexOf(person) % 2 === rest))
    for (const person of [named, addressed])
      await profilesOf(world.client).patchByEmail({ email: person?.email, newEmail: `new-${person?.email}` })
    gate.resolve()
    for (const id of ids) await world.client.messageWith(id, 'sent')
    const expected = world.people.map((person) => (person === named ? `new-${person.email}` : person.email))
    expect(handed.toSorted()).toEqual(expected.toSorted())
    const id = ids[world.people.indexOf(named ?? waiting[0]!)] ?? ''
    const why = await installation.tidings(['message', 'why', '--workspace', 'readdressed', '--id', id])
    expect(why).toMatchObject({ message: { to: `new-${named?.email}`, status: 'sent' } })
  })
})
