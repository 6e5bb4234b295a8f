import type {
  Approvals,
  SignedIn,
  SystemProjection,
  SystemProjections,
  SystemSender,
  SystemState,
  SystemWorkspaceDetail,
  SystemWorkspacePage,
  WorkspaceSettings,
  WorkspaceWithKey,
} from '@tidings/contracts'
import { workspaceIdOf } from '@tidings/directory'
import { workspaceStream } from '@tidings/domain'
import { beforeAll, describe, expect, it } from 'vitest'
import { coded, dataOf, outcome, uncoded } from '../support/answers.ts'
import type { Client } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { profilesOf } from '../support/profiles.ts'
import { call, newLink, type Session, sessionOf } from '../support/users.ts'
import type { World } from '../support/world.ts'

type Doors = Readonly<{ world: World; operator: Session }>

const OWNER = 'owner@system.example'
const FILE = `users: [{ email: ${OWNER}, password: correct horse battery, role: owner }]
smsSenderIds: [{ id: Tea House }, { id: Teapot }]`

/** What operators see of the installation. */
export function systemCases(doors: () => Doors): void {
  describe('the installation', () => {
    let client: Client
    const signsIn = async (isOperator: boolean) => {
      const { world } = doors()
      const token = await newLink(world.stores, client, OWNER, { isOperator })
      return sessionOf(world.url, await call(world.url, 'POST /auth/link', { body: { token } }), world.settle)
    }
    beforeAll(async () => {
      client = await doors().world.workspace('system', FILE)
    })

    it('shows an operator what runs, what is behind and what waits', async () => {
      const read = async () => dataOf<SystemState>(await doors().operator.call('GET /dashboard/system'), 200)
      const before = await read()
      expect(before.processes.flatMap(({ roles }) => roles)).toContain('command-api')
      expect(before.projections.map(({ name }) => name)).toEqual(expect.arrayContaining(['profiles', 'messages', 'webhooks']))
      expect(before.consumers.length).toBeGreaterThan(0)
      await profilesOf(client).create({ email: 'noa@system.example' })
      const after = await read()
      expect(BigInt(after.head)).toBeGreaterThan(BigInt(before.head))
      expect(after.proof.fingerprint).toBe(before.proof.fingerprint)
      expect(JSON.stringify(after)).not.toContain('noa@')
    })

    it('has workspaces that an operator searches and goes through by their slugs', async () => {
      const { operator, world } = doors()
      const pageOf = async (query: string) =>
        dataOf<SystemWorkspacePage>(await operator.call(`GET /dashboard/system/workspaces?${query}`), 200)
      for (const slug of ['system-a', 'system-b']) await world.workspace(slug)
      const walked: string[] = []
      for (let after = ''; ; ) {
        const { items, next_cursor, has_more } = await pageOf(`search=SYSTEM&limit=2${after}`)
        expect([items.length <= 2, has_more]).toEqual([true, next_cursor !== null])
        walked.push(...items.map(({ slug }) => slug))
        if (next_cursor === null) break
        after = `&after=${next_cursor}`
      }
      expect(walked).toEqual(['system', 'system-a', 'system-b'])
      const { items } = await pageOf('search=system&status=active&limit=1')
      expect(items).toMatchObject([{ id: client.applied.workspace.id, status: 'active', plan: 'free', available: null, waiting: 2 }])
      expect((await pageOf('search=system&status=closed')).items).toEqual([])
      expect((await pageOf('search=%25')).items).toEqual([])
      for (const wrong of ['limit=0', 'limit=101', 'after=A', 'after=%27', `after=${'a'.repeat(25)}`, 'status=open'])
        expect([wrong, (await operator.call(`GET /dashboard/system/workspaces?${wrong}`)).status]).toEqual([wrong, 400])
    })

    it('gets a workspace with its first key from an operator, once for its slug and once for a press', async () => {
      const { operator, world } = doors()
      const make = (given: object, headers: Readonly<Record<string, string>> = {}) =>
        operator.call('POST /dashboard/system/workspaces', {
          body: { slug: 'system-made', name: 'נעשה \u202eבפעם אחת', plan: 'pro', country: 'IL', ...given },
          headers,
        })
      const pressed = { 'Idempotency-Key': 'one press' }
      const first = await make({}, pressed)
      expect(first.headers.get('cache-control')).toBe('no-store')
      const made = dataOf<WorkspaceWithKey>(first, 201)
      expect(made).toEqual({ id: workspaceIdOf('system-made'), slug: 'system-made', name: made.name, key: made.key })
      expect(outcome(await make({}, pressed))).toEqual(coded(409, 'idempotency_key_reused'))
      expect(outcome(await make({ slug: 'system-other' }, pressed))).toEqual(coded(409, 'idempotency_key_reused'))
      expect(outcome(await make({ name: 'Another' }))).toEqual(coded(409, 'workspace_slug_taken'))
      await world.settle()
      const list = async () =>
        dataOf<SystemWorkspacePage>(await operator.call('GET /dashboard/system/workspaces?search=system-made'), 200).items
      expect(await list()).toMatchObject([{ id: made.id, name: made.name, plan: 'pro', status: 'active' }])
      const me = await call(world.url, 'GET /public/me', { headers: { 'X-Sender-Tenant': made.slug, 'X-API-Key': made.key } })
      expect(me.status).toBe(200)
      const events = (await world.stores.log.readStream(workspaceIdOf(made.slug), workspaceStream(workspaceIdOf(made.slug)))).map(
        ({ type, meta }) => [type, meta.actor.split(':')[0]],
      )
      expect(events).toEqual([
        ['WorkspaceCreated', 'operator'],
        ['ApiKeyCreated', 'operator'],
      ])
      expect(JSON.stringify(await list())).not.toContain(made.key)
    })

    it('is made by one of two operators who choose a slug at once, under any name that people type', async () => {
      const { operator } = doors()
      const make = (slug: string, name: string, country = 'DE') =>
        operator.call('POST /dashboard/system/workspaces', { body: { slug, name, plan: 'free', country } })
      const both = await Promise.all([make('system-race', 'One'), make('system-race', 'Two')])
      expect(both.map(({ status }) => status).toSorted()).toEqual([201, 409])
      expect((await make('z', 'א')).status).toBe(201)
      expect((await make('system-longest-of-them-0', '🚲'.repeat(255))).status).toBe(201)
      for (const [slug, name, country] of [
        ['System', 'Name', 'DE'],
        ['', 'Name', 'DE'],
        ['a'.repeat(25), 'Name', 'DE'],
        ['system made', 'Name', 'DE'],
        ['system-none', ' \u200b\u202e', 'DE'],
        ['system-none', 'n'.repeat(256), 'DE'],
        ['system-none', 'Name', 'XX'],
      ] as const)
        expect([slug, name, (await make(slug, name, country)).status]).toEqual([slug, name, 400])
      expect((await operator.call('GET /dashboard/system/workspace?slug=system-none')).status).toBe(404)
    })

    const OF_SYSTEM = { 'X-Tidings-Workspace': 'system' }
    const detail = async () =>
      dataOf<SystemWorkspaceDetail>(await doors().operator.call('GET /dashboard/system/workspace?slug=system'), 200)
    const senderNamed = async (name: string): Promise<SystemSender> => {
      const found = (await detail()).senders.find((sender) => sender.name === name)
      if (found === undefined) throw new Error(`${name} is not shown`)
      return found
    }
    const decide = ({ kind, id, etag }: SystemSender, said: object) =>
      doors().operator.call('POST /dashboard/system/sender', {
        body: { kind, id, ...said },
        headers: { ...OF_SYSTEM, 'If-Match': `"${etag}"` },
      })

    it('lets an operator decide about sender IDs as they were shown, once', async () => {
      const waiting = await senderNamed('Teapot')
      expect(waiting).toMatchObject({ kind: 'sms', status: 'pending', decisions: ['approve', 'refuse'] })
      expect((await decide(waiting, { decision: 'withdraw' })).body.code).toBe('sender_decision_not_allowed')
      expect((await decide(waiting, { decision: 'approve', reason: 'It is theirs.' })).status).toBe(400)
      const refused = dataOf<SystemSender>(await decide(waiting, { decision: 'refuse', reason: 'שם של אחר' }), 200)
      expect(refused).toMatchObject({ status: 'rejected', note: 'שם של אחר', decisions: [] })
      expect(outcome(await decide(waiting, { decision: 'approve' }))).toEqual(coded(409, 'changed_meanwhile'))
      expect(await senderNamed('Teapot')).toEqual(refused)
      const approved = dataOf<SystemSender>(await decide(await senderNamed('Tea House'), { decision: 'approve' }), 200)
      expect(approved).toMatchObject({ status: 'approved', decisions: ['withdraw', 'refuse'] })
      expect((await decide({ ...waiting, id: 'Another' }, { decision: 'approve' })).status).toBe(404)
      const bare = { body: { kind: 'sms', id: 'Teapot', decision: 'approve' }, headers: OF_SYSTEM }
      expect(outcome(await doors().operator.call('POST /dashboard/system/sender', bare))).toEqual(coded(428, 'if_match_required'))
    })

    it('lets an operator vouch for domains and mailboxes, and leave them to their proofs again', async () => {
      const domain = await senderNamed('system.example')
      expect(domain).toMatchObject({ kind: 'domain', status: 'verified', decisions: ['refuse', 'withdraw'] })
      const left = dataOf<SystemSender>(await decide(domain, { decision: 'withdraw' }), 200)
      expect(left).toMatchObject({ status: 'pending', decisions: ['approve', 'refuse'] })
      const owner = await signsIn(false)
      const body = { email: 'news@system.example', name: 'News' }
      expect((await owner.call('POST /dashboard/senders/addresses', { body })).status).toBe(201)
      const mailbox = await senderNamed('news@system.example')
      expect(mailbox).toMatchObject({ kind: 'address', status: 'pending', decisions: ['approve'] })
      await doors().world.settle()
      const listed = dataOf<Approvals>(await doors().operator.call('GET /dashboard/system/approvals'), 200).items
      expect(listed).toEqual(expect.arrayContaining([left, mailbox]))
      expect(listed.map(({ name }) => name)).not.toContain('hello@system.example')
      expect(dataOf<SystemSender>(await decide(left, { decision: 'refuse' }), 200)).toMatchObject({ status: 'rejected' })
      const again = await decide(await senderNamed('system.example'), { decision: 'approve' })
      expect(dataOf<SystemSender>(again, 200)).toEqual(domain)
      const vouched = dataOf<SystemSender>(await decide(mailbox, { decision: 'approve' }), 200)
      expect(vouched).toMatchObject({ status: 'verified', decisions: ['withdraw'] })
      expect(dataOf<SystemSender>(await decide(vouched, { decision: 'withdraw' }), 200)).toMatchObject({ status: 'pending' })
    })

    it('lets an operator change the plan as it was shown, and suspend with a reason that operators read', async () => {
      const { operator } = doors()
      const { etag, plan } = await detail()
      expect(plan).toBe('free')
      const change = (wanted: string, seen: string) =>
        operator.call('PUT /dashboard/workspace/plan', { body: { plan: wanted }, headers: { ...OF_SYSTEM, 'If-Match': `"${seen}"` } })
      expect(dataOf<WorkspaceSettings>(await change('pro', etag), 200).plan).toBe('pro')
      expect(outcome(await change('starter', etag))).toEqual(coded(409, 'changed_meanwhile'))
      const move = (body: object) => operator.call('POST /dashboard/workspace/status', { body, headers: OF_SYSTEM })
      expect((await move({ status: 'suspended', reason: ' ' })).status).toBe(400)
      dataOf<WorkspaceSettings>(await move({ status: 'suspended', reason: 'Not paid: ask Noa' }), 200)
      expect(await detail()).toMatchObject({ status: 'suspended', statusReason: 'Not paid: ask Noa', plan: 'pro' })
      expect((await client.request('GET', '/public/profiles')).status).toBe(403)
      dataOf<WorkspaceSettings>(await move({ status: 'active' }), 200)
      expect(await detail()).toMatchObject({ status: 'active', statusReason: null })
      expect((await operator.call('GET /dashboard/system/workspace?slug=no-such-one')).status).toBe(404)
    })

    it('builds a projection beside, compares, swaps and swaps back, each as a job that says how it ended', async () => {
      const { operator } = doors()
      const ask = (act: string, projection = 'tags') =>
        operator.call('POST /dashboard/system/projections/jobs', { body: { projection, act } })
      const tags = async () =>
        dataOf<SystemProjections>(await operator.call('GET /dashboard/system/projections'), 200).items.find(({ name }) => name === 'tags')
      const ended = async (act: string): Promise<SystemProjection | undefined> => {
        expect((await ask(act)).status).toBe(202)
        return eventually(tags, (shown) => shown?.jobs[0]?.act === act && shown.jobs[0].endedAt !== null)
      }
      expect(outcome(await ask('rebuild', 'no_such_one'))).toEqual(uncoded(404, 'Projection not found'))
      const compared = await ended('compare')
      expect(compared).toMatchObject({ next: null, jobs: [{ state: 'failed', error: expect.stringContaining('--beside') }] })
      const built = await ended('rebuild_beside')
      expect(built).toMatchObject({ next: { version: built?.version }, jobs: [{ state: 'done', parked: 0, tables: [] }] })
      expect((await ended('compare'))?.jobs).toMatchObject([{ state: 'done', tables: [{ table: 'tags', different: 0 }] }])
      expect(await ended('swap')).toMatchObject({ next: null, previous: { version: built?.version }, jobs: [{ state: 'done' }] })
      const back = await ended('swap_back')
      expect(back).toMatchObject({ state: built?.state, jobs: [{ state: 'done', askedBy: expect.stringMatching(/^operator:/) }] })
    })

    it('is shown to an owner whose link is an operator’s as well, beside their workspace, and to no other owner', async () => {
      const both = await signsIn(true)
      expect(dataOf<SignedIn>(await both.call('GET /auth/session'), 200)).toMatchObject({ operator: true, workspace: { slug: 'system' } })
      expect((await both.call('GET /dashboard/system')).status).toBe(200)
      expect((await both.call('GET /dashboard/lists')).status).toBe(200)
      const owner = await signsIn(false)
      expect(outcome(await owner.call('GET /dashboard/system'))).toEqual(coded(403, 'operator_required'))
    })
  })
}
