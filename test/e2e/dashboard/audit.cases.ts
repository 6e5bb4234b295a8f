import type { AuditEntryPage, ListedPerson } from '@tidings/contracts'
import { workspaceIdOf } from '@tidings/directory'
import { INSTALLATION } from '@tidings/domain'
import type { DnsServer } from '@tidings/testing/dns-server'
import { describe, expect, it } from 'vitest'
import { committedDashboardOpenApi, operationsOf } from '../../contract/openapi.ts'
import { coded, dataOf, outcome } from '../support/answers.ts'
import type { Client } from '../support/client.ts'
import { call, newLink, newOperator, type Session, sessionOf } from '../support/users.ts'
import type { World } from '../support/world.ts'
import { type AnswerData, createAsk, giveEveryCommand, MADE, SLUG } from './audited-commands.ts'

type Doors = Readonly<{ world: World; dns: DnsServer }>

const FILE = `country: IL
credits: 10
users:
  - { email: owner@${SLUG}.example, password: correct horse battery, role: owner }
  - { email: admin@${SLUG}.example, password: correct horse battery, role: admin }
lists: [{ name: VIP, type: static }]
smsSenderIds: [{ id: Tilly, status: approved }]
flows: [{ name: Joined, trigger: { type: list_joined, list: VIP }, steps: [{ wait: { minutes: 60 } }] }]`

/** Commands that are no fact of the log, each with the reason why it needs no row. */
const WITHOUT_ROW: Readonly<Record<string, string>> = {
  'lists.count': 'counts, and changes nothing',
  'templates.check': 'shows what a text that is not saved would become',
  'templates.preview': 'shows what a text that is not saved would become',
  'flows.try': 'shows what steps that are not saved would do, and sends nothing',
  'campaigns.preview': 'shows what somebody would get, and sends nothing',
  'workspaceFile.difference': 'says what a file would change, and changes nothing',
  'account.endSession': 'ends a session of the caller',
  'account.endOtherSessions': 'ends sessions of the caller',
}

/** Each command that a session can give is given once, and leaves a row. */
export function auditCases(doors: () => Doors): void {
  let client: Client
  let owner: Session
  let admin: Session
  let operator: Session
  const signedIn = async (token: string) => {
    const { world } = doors()
    return sessionOf(world.url, await call(world.url, 'POST /auth/link', { body: { token } }), world.settle)
  }
  const ownerSignsIn = async () => {
    owner = await signedIn(await newLink(doors().world.stores, client, `owner@${SLUG}.example`))
  }
  const start = async () => {
    const { world } = doors()
    client = await world.workspace(SLUG, FILE)
    await ownerSignsIn()
    admin = await signedIn(await newLink(world.stores, client, `admin@${SLUG}.example`))
    operator = await signedIn((await newOperator(world.stores)).token)
  }

  /** By the operation the id of its request. */
  const given = new Map<string, string>()
  const ask = createAsk({ owner: () => owner, given })
  const read = async (path: string, body?: object) =>
    dataOf<AnswerData>(await owner.call(`${body === undefined ? 'GET' : 'POST'} /dashboard${path}`, { body }), 200)
  const audit = async (query = '') => dataOf<AuditEntryPage>(await owner.call(`GET /dashboard/audit${query}`), 200)

  describe('who did what', () => {
    it('is a row for each command that a session can give', async () => {
      await start()
      const person = await giveEveryCommand({ ...doors(), client, admin, operator, ask, read })
      // The suspension has ended every session.
      await ownerSignsIn()
      const message = dataOf<Readonly<{ items: readonly AnswerData[] }>>(await owner.call('GET /dashboard/messages?channel=email'), 200)
        .items[0]
      const looks = [`/messages/${message?.id}/content`, `/profiles/${person}/export`, `/profiles/${person}/proof`]
      const seen = await Promise.all(
        looks.map((path) => fetch(`${doors().world.url}/api/v1/dashboard${path}`, { headers: { Authorization: `Bearer ${owner.token}` } })),
      )
      expect(seen.map(({ status }) => status)).toEqual([200, 200, 200])
      await Promise.all(seen.map((answer) => answer.arrayBuffer()))
      await doors().world.settle()

      const { rows } = await doors().world.stores.pool.query<Readonly<{ request_id: string }>>(
        `select request_id from read.audit where workspace_id = any ($1)
          union select request_id from ops.noted_act where workspace_id = any ($1)`,
        [[client.applied.workspace.id, workspaceIdOf(MADE), INSTALLATION]],
      )
      const noted = new Set(rows.map(({ request_id }) => request_id))
      const commands = operationsOf(committedDashboardOpenApi())
        .filter(({ method }) => method !== 'GET')
        .map(({ operation }) => operation.operationId ?? '')
      expect(commands.filter((operation) => !given.has(operation)).toSorted()).toEqual(Object.keys(WITHOUT_ROW).toSorted())
      expect([...given].filter(([, requestId]) => !noted.has(requestId)).map(([operation]) => operation)).toEqual([])
      expect(seen.map(({ headers }) => noted.has(headers.get('x-request-id') ?? ''))).toEqual([true, true, true])
    })

    it('is read by operators at the installation for whatever they alone do, each once', async () => {
      const read = async (query = '') => dataOf<AuditEntryPage>(await operator.call(`GET /dashboard/system/audit${query}`), 200)
      const { items } = await read('?limit=100')
      const commands = operationsOf(committedDashboardOpenApi())
        .filter(({ method, operation }) => method !== 'GET' && operation['x-tidings-role'] === 'operator')
        .map(({ operation }) => operation.operationId ?? '')
      const rows = commands.map((operation) => [operation, items.filter(({ requestId }) => requestId === given.get(operation)).length])
      expect(rows).toEqual(commands.map((operation) => [operation, 1]))
      const entryOf = (operation: string) => items.find(({ requestId }) => requestId === given.get(operation))
      expect(entryOf('system.createWorkspace')).toMatchObject({ what: 'workspace', thing: MADE, by: 'operator@tidings.example' })
      expect(entryOf('system.decideSender')).toMatchObject({ what: 'decision', thing: SLUG })
      expect(entryOf('system.askProjectionJob')).toMatchObject({ what: 'projection', thing: 'profiles compare' })

      const operators = dataOf<Readonly<{ items: readonly ListedPerson[] }>>(
        await operator.call('GET /dashboard/system/operators'),
        200,
      ).items
      const me = entryOf('system.createWorkspace')?.actor.slice('operator:'.length)
      expect(operators.filter(({ id }) => id === me)).toMatchObject([{ email: 'operator@tidings.example', role: 'owner' }])
      const own = await read(`?userId=${me}&limit=100`)
      expect([...new Set(own.items.map(({ actor }) => actor))]).toEqual([`operator:${me}`])
      expect((await read(`?userId=${crypto.randomUUID()}`)).items).toEqual([])
      expect((await read('?from=2026-01-01&to=2026-01-02')).items).toEqual([])
      const first = await read('?limit=1')
      expect((await read(`?limit=1&after=${first.next_cursor}`)).items.map(({ id }) => id)).toEqual([items[1]?.id])
      for (const query of ['?from=2026-01-01', '?after=x', '?only=exports'])
        expect([query, (await operator.call(`GET /dashboard/system/audit${query}`)).status]).toEqual([query, 400])
      expect(outcome(await owner.call('GET /dashboard/system/audit'))).toEqual(coded(403, 'operator_required'))

      const both = await signedIn(await newLink(doors().world.stores, client, `owner@${SLUG}.example`, { isOperator: true }))
      const asked = await both.call('POST /dashboard/system/projections/jobs', { body: { projection: 'tags', act: 'compare' } })
      expect(asked.status).toBe(202)
      const newest = await read('?limit=1')
      expect(newest.items).toMatchObject([{ requestId: asked.headers.get('x-request-id'), by: `owner@${SLUG}.example` }])
      const country = { slug: 'never-made', name: 'Never', plan: 'free', country: 'XX' }
      expect((await operator.call('POST /dashboard/system/workspaces', { body: country })).status).toBe(400)

      const again = { slug: MADE, name: 'Made', plan: 'free', country: 'IL' }
      expect(outcome(await operator.call('POST /dashboard/system/workspaces', { body: again }))).toEqual(coded(409, 'workspace_slug_taken'))
      expect((await read('?limit=1')).items).toEqual(newest.items)
    })

    it('is shown with who, by person and by period, in pages', async () => {
      const { items } = await audit('?limit=100')
      expect(items.map(({ what }) => what)).toEqual(expect.arrayContaining(['TemplateCreated', 'content', 'link', 'UserRemoved']))
      expect(items.find(({ what }) => what === 'TemplateCreated')).toMatchObject({ by: `owner@${SLUG}.example` })
      expect(items.find(({ what }) => what === 'CreditsAdded')).toMatchObject({ by: 'operator', actor: 'operator' })
      const byAdmin = await audit(`?userId=${client.applied.users[`admin@${SLUG}.example`]}`)
      expect(byAdmin.items.map(({ what, by }) => [what, by])).toEqual([['UserConfigured', `admin@${SLUG}.example`]])
      const paged: string[] = []
      for (let after = ''; ; ) {
        const page = await audit(`?limit=7${after}`)
        paged.push(...page.items.map(({ id }) => id))
        if (page.next_cursor === null) break
        after = `&after=${page.next_cursor}`
      }
      expect(paged.slice(0, 100)).toEqual(items.map(({ id }) => id))
      expect(paged).toEqual([...new Set(paged)].toSorted().reverse())
      expect((await audit('?from=2026-01-01&to=2026-01-02')).items).toEqual([])
      for (const query of ['?from=2026-01-01', '?from=2026-02-30&to=2026-03-01', '?after=x', '?userId=x'])
        expect([query, (await owner.call(`GET /dashboard/audit${query}`)).status]).toEqual([query, 400])
    })

    it('is for admins, and of the workspace alone', async () => {
      const other = await doors().world.workspace(
        `${SLUG}-2`,
        `users: [{ email: member@${SLUG}-2.example, password: correct horse battery, role: member }]`,
      )
      const member = await signedIn(await newLink(doors().world.stores, other, `member@${SLUG}-2.example`))
      expect(outcome(await member.call('GET /dashboard/audit'))).toEqual(coded(403, 'role_required'))
      const named = { headers: { 'X-Tidings-Workspace': `${SLUG}-2` } }
      const { items } = dataOf<AuditEntryPage>(await operator.call('GET /dashboard/audit', named), 200)
      expect(items.filter(({ by }) => by.includes(`@${SLUG}.`))).toEqual([])
      expect(items.map(({ what }) => what)).toContain('WorkspaceCreated')
    })

    it('that is a look ends after 90 days', async () => {
      const { pool } = doors().world.stores
      const of = [client.applied.workspace.id]
      // A place begins with its moment.
      const long = "at = now() - interval '91 days', place = repeat('0', 12) || substr(place, 13)"
      await pool.query(`update ops.noted_act set ${long} where workspace_id = $1`, of)
      expect((await audit('?limit=100')).items.map(({ what }) => what)).not.toContain('content')
      await ask('people.invite', 'POST /people', { body: { email: `late@${SLUG}.example`, role: 'member' } })
      const { items } = dataOf<Readonly<{ items: readonly AnswerData[] }>>(await owner.call('GET /dashboard/people'), 200)
      // Each look removes ten at most.
      for (let look = 0; look < 2; look++) await ask('people.link', `POST /people/${items.at(-1)?.id}/link`)
      const { rows } = await pool.query<Readonly<{ what: string }>>('select what from ops.noted_act where workspace_id = $1', of)
      expect(rows.map(({ what }) => what)).toEqual(['link', 'link'])
    })
  })
}
