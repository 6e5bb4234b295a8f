import { createCommandRunner } from '@tidings/commands'
import { asWorkspaceId, user, userStream } from '@tidings/domain'
import { PATIENT_MS, until } from '@tidings/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accountCases } from './dashboard/account.cases.ts'
import { campaignCases } from './dashboard/campaigns.cases.ts'
import { creditCases } from './dashboard/credits.cases.ts'
import { erasureCases } from './dashboard/erasures.cases.ts'
import { fileCases } from './dashboard/file.cases.ts'
import { flowCases } from './dashboard/flows.cases.ts'
import { listCases } from './dashboard/lists.cases.ts'
import { peopleCases } from './dashboard/people.cases.ts'
import { systemCases } from './dashboard/system.cases.ts'
import { templatePreviewCases } from './dashboard/template-previews.cases.ts'
import { templateCases } from './dashboard/templates.cases.ts'
import { workspaceCases } from './dashboard/workspace.cases.ts'
import { coded, dataOf, outcome, uncoded } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { outboxOf } from './support/outbox.ts'
import { profilesOf } from './support/profiles.ts'
import { call, newLink, newOperator, type Session, sessionOf } from './support/users.ts'
import { startWorld, type World } from './support/world.ts'

// What is behind the door of the dashboard; the door itself: dashboard-doors.e2e.test.ts.

const PASSWORD = 'correct horse battery'
const ROLES = ['member', 'admin', 'owner'] as const
const LISTS = 'lists: [{ name: VIP, type: static }]'
const fileOf = (slug: string, roles: Readonly<Partial<Record<(typeof ROLES)[number], string>>> = {}): string => `users:
${ROLES.map((name) => `  - { email: ${name}@${slug}.example, password: ${PASSWORD}, role: ${roles[name] ?? name} }`).join('\n')}
${LISTS}
templates: [{ name: welcome, channel: email, subject: "Hi {{firstName|there}}", html: "<p>Hello {{firstName|there}}</p>", text: "Hello" }]`

let world: World
let acme: Client
let sessions: Readonly<Record<(typeof ROLES)[number], Session>>
let stranger: Session
let operator: Session
let person: string

/** Signs in by a link: no password is hashed. */
const signedIn = async (client: Client, email: string): Promise<Session> => {
  const token = await newLink(world.stores, client, email)
  return sessionOf(world.url, await call(world.url, 'POST /auth/link', { body: { token } }), world.settle)
}

beforeAll(async () => {
  world = await startWorld()
  acme = await world.workspace('doors', fileOf('doors'))
  const other = await world.workspace('doors-2', fileOf('doors-2'))
  const [member, admin, owner] = await Promise.all(ROLES.map((role) => signedIn(acme, `${role}@doors.example`)))
  if (!member || !admin || !owner) throw new Error('three were asked for')
  sessions = { member, admin, owner }
  stranger = await signedIn(other, 'owner@doors-2.example')
  operator = sessionOf(
    world.url,
    await call(world.url, 'POST /auth/link', { body: { token: (await newOperator(world.stores)).token } }),
    world.settle,
  )
  person = (await profilesOf(acme).create({ email: 'noa@doors.example', firstName: 'Noa' })).id
})
afterAll(() => world?.stop())

const unauthenticated = uncoded(401, 'Authentication required')

describe('a session between two requests', () => {
  it('has the role that the log says now, whatever it had', async () => {
    const client = await world.workspace('doors-low', fileOf('doors-low'))
    const session = await signedIn(client, 'admin@doors-low.example')
    const webhooks = 'GET /dashboard/webhooks'
    expect((await session.call(webhooks)).status).toBe(200)
    await world.workspace('doors-low', fileOf('doors-low', { admin: 'member' }))
    expect(outcome(await session.call(webhooks))).toEqual(coded(403, 'role_required'))
    expect((await session.call('GET /dashboard/lists')).status).toBe(200)
    await world.workspace('doors-low', fileOf('doors-low', { admin: 'owner' }))
    expect((await session.call(webhooks)).status).toBe(200)
  })

  it('ends with the removal of its user, and its links with it', async () => {
    const client = await world.workspace('doors-gone', fileOf('doors-gone'))
    const email = 'member@doors-gone.example'
    const [session, token] = [await signedIn(client, email), await newLink(world.stores, client, email)]
    expect((await session.call('GET /dashboard/lists')).status).toBe(200)
    const [workspaceId, userId] = [asWorkspaceId(client.applied.workspace.id), client.applied.users[email] ?? '']
    await createCommandRunner({ log: world.stores.log, deadlineMs: PATIENT_MS }).execute({
      decider: user,
      stream: userStream(workspaceId, userId),
      command: { type: 'RemoveUser', data: { userId } },
      context: { commandId: crypto.randomUUID(), workspaceId, actor: 'operator', requestId: 'test', at: new Date().toISOString() },
    })
    expect(outcome(await session.call('GET /dashboard/lists'))).toEqual(unauthenticated)
    expect((await call(world.url, 'POST /auth/link', { body: { token } })).status).toBe(401)
  })
})

describe('messages', () => {
  type FoundPage = Readonly<{
    items: readonly Readonly<{ id: string; contactId: string | null; channel: string }>[]
    has_more: boolean
    next_cursor: string | null
  }>
  const search = async (query: string, session = sessions.member) =>
    dataOf<FoundPage>(await session.call(`GET /dashboard/messages?${query}`), 200)
  const MAIL = '<h1>Hi</h1><script>alert(1)</script><img src="https://evil.example/x.png">'
  const sent: string[] = []
  beforeAll(async () => {
    for (let n = 0; n < 3; n++) sent.push(await acme.send(`person-${n}@doors.example`, { subject: 'Hi', html: MAIL, text: 'Hi as text' }))
  })

  it('are found newest first, page by page, by channel, status and period', async () => {
    const all: string[] = []
    let after = ''
    do {
      const page = await search(`channel=email&limit=2${after}`)
      expect(page.items.length).toBeLessThanOrEqual(2)
      all.push(...page.items.map(({ id }) => id))
      after = page.next_cursor === null ? '' : `&after=${page.next_cursor}`
    } while (after !== '')
    expect(all).toEqual(sent.toReversed())
    expect(new Set(all).size).toBe(all.length)
    expect((await search('channel=sms')).items).toEqual([])
    expect((await search('status=complained')).items).toEqual([])
    expect((await search('to=2020-01-01')).items).toEqual([])
    expect((await search('from=2020-01-01')).items).toHaveLength(3)
    expect((await search('', stranger)).items).toEqual([])
    for (const wrong of ['after=nonsense', 'from=yesterday', 'status=lost', 'limit=101'])
      expect((await sessions.member.call(`GET /dashboard/messages?${wrong}`)).status).toBe(400)
  })

  it('say why, for their own workspace alone', async () => {
    const story = dataOf<{ message: { id: string }; facts: readonly { says: string; position: string }[] }>(
      await sessions.member.call(`GET /dashboard/messages/${sent[0]}/why`),
      200,
    )
    expect(story.message.id).toBe(sent[0])
    expect(story.facts.length).toBeGreaterThan(1)
    for (const route of [`GET /dashboard/messages/${sent[0]}/why`, `GET /dashboard/messages/${sent[0]}/content`])
      expect(outcome(await stranger.call(route))).toEqual(uncoded(404, 'Message not found'))
  })

  it('show their content in a frame that runs nothing and asks for nothing', async () => {
    const get = (query = '', headers: Readonly<Record<string, string>> = {}) =>
      fetch(`${world.url}/api/v1/dashboard/messages/${sent[0]}/content${query}`, {
        headers: { Authorization: `Bearer ${sessions.member.token}`, ...headers },
      })
    const answer = await get()
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(answer.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:;/)
    expect(answer.headers.get('content-security-policy')).not.toMatch(/script|https/)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(await answer.text()).toBe(MAIL)
    expect((await get('?images=https')).headers.get('content-security-policy')).toContain('img-src data: https:;')
    const text = await get('?part=text')
    expect([text.headers.get('content-type'), await text.text()]).toEqual(['text/plain; charset=utf-8', 'Hi as text'])
    expect((await get('', { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403)
    expect((await get('?images=http')).status).toBe(400)
  })
})

describe('people', () => {
  type Listed = Readonly<{ items: readonly Readonly<{ id: string; email: string; role: string }>[] }>
  type Invited = Readonly<{ id: string; link: Readonly<{ url: string; expiresAt: string }>; mailed: boolean; notMailed: object | null }>
  let team: Client
  let owner: Session
  const idOf = (name: string) => team.applied.users[`${name}@doors-team.example`] ?? ''
  const list = async () => dataOf<Listed>(await owner.call('GET /dashboard/people'), 200).items
  const use = (link: Invited['link']) => call(world.url, 'POST /auth/link', { body: { token: new URL(link.url).hash.slice(1) } })
  beforeAll(async () => {
    team = await world.workspace('doors-team', fileOf('doors-team'))
    owner = await signedIn(team, 'owner@doors-team.example')
  })

  it('are invited by a link and a mail, changed and removed, by an owner', async () => {
    const invited = dataOf<Invited>(
      await owner.call('POST /dashboard/people', { body: { email: ' New@Doors-Team.example', role: 'admin', language: 'he' } }),
      201,
    )
    expect([invited.mailed, invited.notMailed]).toEqual([true, null])
    const mail = await until(async () => {
      const [found] = await outboxOf(world).list('?channel=email&to=new@doors-team.example')
      expect(found).toBeDefined()
      return found
    })
    expect(mail?.subject).toMatch(/^הוזמנת אל /)
    const [mailed = ''] = /http\S+\/dashboard\/link\?mailed#[\w-]{43}$/m.exec(mail?.text ?? '') ?? []
    expect((await list()).map(({ email, role }) => `${email} ${role}`)).toEqual([
      'admin@doors-team.example admin',
      'member@doors-team.example member',
      'new@doors-team.example admin',
      'owner@doors-team.example owner',
    ])
    const again = await owner.call('POST /dashboard/people', { body: { email: 'new@doors-team.example', role: 'owner' } })
    expect(outcome(again)).toEqual(coded(409, 'user_exists'))
    const joined = sessionOf(world.url, await use(invited.link), world.settle)
    expect((await joined.call('GET /dashboard/people')).status).toBe(200)
    expect((await use(invited.link)).status).toBe(401)
    expect((await use({ ...invited.link, url: mailed })).status).toBe(200)

    const person = `/dashboard/people/${invited.id}`
    expect(dataOf<object>(await owner.call(`PATCH ${person}`, { body: { role: 'member' } }), 200)).toMatchObject({ role: 'member' })
    expect(outcome(await joined.call('GET /dashboard/people'))).toEqual(coded(403, 'role_required'))
    const link = dataOf<Invited['link']>(await owner.call(`POST ${person}/link`, { body: {} }), 201)
    expect((await owner.call(`DELETE ${person}`)).status).toBe(204)
    expect(outcome(await joined.call('GET /dashboard/lists'))).toEqual(unauthenticated)
    expect((await use(link)).status).toBe(401)
    for (const route of [`DELETE ${person}`, `POST ${person}/link`])
      expect(outcome(await owner.call(route))).toEqual(uncoded(404, 'User not found'))
  })

  it('keep an owner: no owner lowers or removes their own user, and no operator the last one', async () => {
    const self = `/dashboard/people/${idOf('owner')}`
    for (const asked of [owner.call(`DELETE ${self}`), owner.call(`PATCH ${self}`, { body: { role: 'member' } })])
      expect(outcome(await asked)).toEqual(coded(409, 'own_user_fixed'))
    const headers = { 'X-Tidings-Workspace': 'doors-team' }
    expect(outcome(await operator.call(`DELETE ${self}`, { headers }))).toEqual(coded(409, 'owner_needed'))
    expect(outcome(await operator.call(`PATCH ${self}`, { headers, body: { role: 'admin' } }))).toEqual(coded(409, 'owner_needed'))
  })

  it('keep one also where two owners lower each other at the same moment', async () => {
    expect((await owner.call(`PATCH /dashboard/people/${idOf('admin')}`, { body: { role: 'owner' } })).status).toBe(200)
    const second = await signedIn(team, 'admin@doors-team.example')
    const answers = await Promise.all([
      owner.call(`PATCH /dashboard/people/${idOf('admin')}`, { body: { role: 'member' } }),
      second.call(`PATCH /dashboard/people/${idOf('owner')}`, { body: { role: 'member' } }),
    ])
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    await world.settle()
    const { rows } = await world.stores.pool.query<{ role: string }>(
      "select role from read.users where workspace_id = $1 and role = 'owner'",
      [team.applied.workspace.id],
    )
    expect(rows).toHaveLength(1)
  })

  it('of another workspace are not there', async () => {
    const person = `/dashboard/people/${idOf('member')}`
    for (const asked of [
      stranger.call(`DELETE ${person}`),
      stranger.call(`PATCH ${person}`, { body: { role: 'owner' } }),
      stranger.call(`POST ${person}/link`, { body: {} }),
    ])
      expect(outcome(await asked)).toEqual(uncoded(404, 'User not found'))
  })
})

peopleCases(() => ({ world, acme, sessions, stranger }))
erasureCases(() => ({ world, acme, sessions, stranger, signedIn }))
templateCases(() => ({ world, acme, sessions, stranger, person }))
templatePreviewCases(() => ({ world, sessions, person }))
campaignCases(() => ({ world, stranger, signedIn }))
accountCases(() => ({ world, operator, signedIn }))
workspaceCases(() => ({ world, operator, signedIn }))
fileCases(() => ({ world, signedIn }))
systemCases(() => ({ world, operator }))
creditCases(() => ({ world, operator, stranger, signedIn }))
listCases(() => ({ world, stranger, signedIn }))
flowCases(() => ({ world, stranger, signedIn }))
