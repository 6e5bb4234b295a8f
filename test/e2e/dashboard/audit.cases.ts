import type { AuditEntryPage } from '@tidings/contracts'
import { workspaceIdOf } from '@tidings/directory'
import type { DnsServer } from '@tidings/testing/dns-server'
import { describe, expect, it } from 'vitest'
import { committedDashboardOpenApi, operationsOf } from '../../contract/openapi.ts'
import { coded, dataOf, outcome } from '../support/answers.ts'
import type { Answer, Client } from '../support/client.ts'
import { insertDeadLetters } from '../support/dead-letters.ts'
import { call, newLink, newOperator, type Session, sessionOf } from '../support/users.ts'
import type { World } from '../support/world.ts'

type Doors = Readonly<{ world: World; dns: DnsServer }>
type AnswerData = Readonly<Record<string, unknown>> & Readonly<{ id: string; etag: string }>
type AskOptions = Readonly<{ body?: unknown; etag?: string; by?: Session; headers?: Readonly<Record<string, string>> }>

const SLUG = 'audited'
/** A workspace that an operator makes. */
const MADE = 'audited-made'
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
  'system.askProjectionJob': 'is of no workspace: `ops.dashboard_job` says who asked',
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
  const ask = async <D = AnswerData>(
    operation: string,
    route: string,
    { body, etag, by = owner, headers = {} }: AskOptions = {},
  ): Promise<D> => {
    const [method = '', path = ''] = route.split(' ')
    const answer: Answer = await by.call(`${method} /dashboard${path}`, {
      ...(body !== undefined && { body }),
      headers: { ...headers, ...(etag !== undefined && { 'If-Match': `"${etag}"` }) },
    })
    expect([operation, answer.status, answer.body.message], operation).toEqual([
      operation,
      expect.toSatisfy((status) => status < 300),
      answer.body.message,
    ])
    given.set(operation, answer.headers.get('x-request-id') ?? '')
    return answer.body.data as D
  }
  const read = async (path: string) => dataOf<AnswerData>(await owner.call(`GET /dashboard${path}`), 200)

  const people = async (): Promise<string> => {
    const email = `noa@${SLUG}-people.example`
    const { id } = await ask('profiles.create', 'POST /profiles', { body: { email, phone: '+972501234599' } })
    await ask('profiles.upsert', 'PUT /profiles', { body: { email, firstName: 'Noa' } })
    await ask('profiles.updateByEmail', 'PATCH /profiles', { body: { email, city: 'Haifa' } })
    await ask('profiles.update', `PATCH /profiles/${id}`, { body: { lastName: 'Levi' } })
    await ask('profiles.blacklist', 'POST /profiles/blacklist', { body: { email, channel: 'email' } })
    await ask('profiles.liftBlacklist', 'DELETE /profiles/blacklist', { body: { email, channel: 'email' } })
    await ask('events.ingest', 'POST /events/ingest', { body: { event: 'tea', email } })
    const from = { fromEmail: `hello@${SLUG}.example`, subject: 'Hi', html: '<p>Hi</p>' }
    await ask('messages.sendEmail', 'POST /messages/email', { body: { to: email, ...from } })
    await ask('messages.sendSms', 'POST /messages/sms', { body: { to: '+972501234599', senderId: 'Tilly', body: 'Hi' } })
    const confirm = `gone@${SLUG}-people.example`
    const { id: gone } = await ask('profiles.create', 'POST /profiles', { body: { email: confirm } })
    await ask('profiles.erase', `POST /profiles/${gone}/erasure`, { body: { confirm } })
    return id
  }
  const lists = async (person: string): Promise<void> => {
    const members = `/lists/${client.applied.lists.VIP}/members`
    await ask('lists.addMembers', `POST ${members}`, { body: { contactIds: [person] } })
    await ask('lists.removeMember', `DELETE ${members}/${person}`)
    await ask('lists.addMembers', `POST ${members}`, { body: { contactIds: [person] } })
    await ask('lists.removeMembers', `DELETE ${members}`, { body: { contactIds: [person] } })
    const rule = (value: string) => ({ all: [{ field: 'locale', op: 'eq', value }] })
    const { id, etag } = await ask('lists.create', 'POST /lists', { body: { name: 'Hebrew', type: 'dynamic', rule: rule('he') } })
    const edited = await ask('lists.edit', `PUT /lists/${id}`, { body: { rule: rule('iw') }, etag })
    await ask('lists.restoreVersion', `POST /lists/${id}/versions`, { body: { version: 1 }, etag: edited.etag })
  }
  const templates = async (): Promise<string> => {
    const { id, etag } = await ask('templates.create', 'POST /templates', {
      body: { name: 'Spring', channel: 'email', subject: 'Spring', html: '<p>One</p>' },
    })
    const edited = await ask('templates.edit', `PUT /templates/${id}`, { body: { subject: 'Spring', html: '<p>Two</p>' }, etag })
    await ask('templates.restoreVersion', `POST /templates/${id}/versions`, { body: { version: 1 }, etag: edited.etag })
    await ask('templates.archive', `POST /templates/${id}/archive`)
    await ask('templates.restore', `POST /templates/${id}/restore`)
    return id
  }
  const campaigns = async (templateId: string): Promise<void> => {
    const settings = {
      listId: client.applied.lists.VIP,
      templateId,
      variants: [],
      from: `hello@${SLUG}.example`,
      quietHours: 'wait',
      tagIds: [],
    }
    const { id, etag } = await ask('campaigns.create', 'POST /campaigns', {
      body: { name: 'Spring', channel: 'email', ...settings, archived: false },
    })
    await ask('campaigns.configure', `PUT /campaigns/${id}`, { body: { ...settings, quietHours: 'skip', archived: false }, etag })
    await ask('campaigns.test', `POST /campaigns/${id}/test`, { body: {} })
    await ask('campaigns.move', `POST /campaigns/${id}/moves`, { body: { move: 'schedule', at: '2099-12-01T09:00:00+02:00' } })
  }
  const flows = async (): Promise<void> => {
    const path = `/flows/${client.applied.flows.Joined}`
    for (const verb of ['pause', 'resume', 'retire', 'restore'])
      await ask(`flows.${verb}`, `POST ${path}/${verb}`, { body: {}, etag: (await read(path)).etag })
    const wanted = (minutes: number) => ({ trigger: { type: 'custom_event', event: 'tea' }, steps: [{ wait: { minutes } }] })
    const { id, etag } = await ask('flows.create', 'POST /flows', { body: { name: 'Tea', ...wanted(60) } })
    await ask('flows.edit', `PUT /flows/${id}`, { body: wanted(30), etag })
  }
  const webhooks = async (): Promise<void> => {
    const { id } = await ask('webhooks.create', 'POST /webhooks', { body: { url: 'http://127.0.0.1:9/hook', events: ['never.fired'] } })
    const { deliveryId } = await ask<Readonly<{ deliveryId: string }>>('webhooks.test', `POST /webhooks/${id}/test`)
    await ask('webhooks.deliverAgain', `POST /webhooks/${id}/deliveries/${deliveryId}/again`)
    await ask('webhooks.signDelivery', `POST /webhooks/${id}/deliveries/${deliveryId}/signature`)
    for (const verb of ['pause', 'resume']) await ask(`webhooks.${verb}`, `POST /webhooks/${id}/${verb}`)
    await ask('webhooks.delete', `DELETE /webhooks/${id}`)
  }
  const keys = async (): Promise<void> => {
    const { id } = await ask('apiKeys.create', 'POST /integrations/api-keys', { body: { name: 'Till' } })
    await ask('apiKeys.createForEventIngest', 'POST /integrations/event-ingest-key')
    await ask('apiKeys.createPublishable', 'POST /integrations/publishable-keys', { body: { name: 'Shop' } })
    await ask('apiKeys.revoke', `POST /integrations/api-keys/${id}/revoke`)
    await ask('apiKeys.delete', `DELETE /integrations/api-keys/${id}`)
  }
  const senders = async (): Promise<void> => {
    const domain = `mail.${SLUG}.example`
    const path = `/senders/domains/${domain}`
    const { texts } = doors().dns
    type Domain = AnswerData & Readonly<{ records: readonly Readonly<{ kind: string; name: string; value: string; selector: string }>[] }>
    const added = await ask<Domain>('senders.addDomain', 'POST /senders/domains', { body: { domain } })
    texts.set(`_tidings.${domain}`, [added.records[0]?.value ?? ''])
    await ask('senders.checkDomain', `POST ${path}/check`)
    const made = await ask<Domain>('senders.createDkimKey', `POST ${path}/keys`, { etag: added.etag })
    const key = made.records.find(({ kind }) => kind === 'dkim')
    texts.set(key?.name.toLowerCase() ?? '', [key?.value ?? ''])
    await ask('senders.chooseDkimKey', `PUT ${path}/dkim`, { body: { selector: key?.selector }, etag: made.etag })
    const { id } = await ask('senders.addAddress', 'POST /senders/addresses', { body: { email: `news@${SLUG}.example`, name: 'News' } })
    await ask('senders.askMailbox', `POST /senders/addresses/${id}/ask`)
    await ask('senders.askForSmsSender', 'POST /senders/sms', { body: { id: 'Acme' } })
  }
  const workspace = async (): Promise<void> => {
    type Settings = Readonly<Record<'general' | 'marketing' | 'replies', Readonly<{ etag: string }>>>
    const { general, marketing, replies } = (await read('/workspace')) as unknown as Settings
    await ask('workspace.changeGeneral', 'PUT /workspace/general', {
      body: { name: 'New', country: 'DE', tracking: false },
      etag: general.etag,
    })
    const rules = { timezone: 'Europe/Berlin', quietHours: null, frequencyCap: { messages: 2, days: 7 } }
    await ask('workspace.changeMarketing', 'PUT /workspace/marketing', { body: rules, etag: marketing.etag })
    await ask('workspace.setReplies', 'PUT /workspace/replies', { body: { stop: 'Bye.', start: null, help: null }, etag: replies.etag })
    const file = { body: { text: `workspace: { slug: ${SLUG}, name: New }\nlists: [{ name: Filed, type: static }]` } }
    const { etag } = await ask('workspaceFile.difference', 'POST /workspace-file/difference', file)
    given.delete('workspaceFile.difference')
    await ask('workspaceFile.apply', 'POST /workspace-file/apply', { ...file, etag })
    await ask('overview.makeExamples', 'POST /examples')
  }
  const vocabulary = async (): Promise<void> => {
    const { id } = await ask('tags.create', 'POST /tags', { body: { name: 'Sale' } })
    const { items } = (await read('/tags/all')) as unknown as Readonly<{ items: readonly AnswerData[] }>
    await ask('tags.edit', `PUT /tags/${id}`, { body: { color: 'warn' }, etag: items.find((tag) => tag.id === id)?.etag ?? '' })
    const field = await ask('customFields.create', 'POST /custom-fields', {
      body: { key: 'size', label: 'Size', kind: 'text', options: [] },
    })
    await ask('customFields.edit', `PUT /custom-fields/${field.id}`, {
      body: { label: 'Size', kind: 'number', options: [] },
      etag: field.etag,
    })
    const event = await ask('customEvents.create', 'POST /custom-events', { body: { name: 'tea', label: 'Tea', propertyNames: [] } })
    await ask('customEvents.edit', `PUT /custom-events/${event.id}`, {
      body: { label: 'Tea', propertyNames: ['sort'], retired: true },
      etag: event.etag,
    })
    const connector = await ask('connectors.create', 'POST /connectors', { body: { name: 'Shop' } })
    await ask('connectors.renewSecret', `POST /connectors/${connector.id}/secret`, { etag: connector.etag })
  }
  const forms = async (): Promise<void> => {
    const asked = { listId: client.applied.lists.VIP, confirmation: null }
    const { id, etag } = await ask('forms.create', 'POST /forms', { body: { id: 'footer', ...asked } })
    await ask('forms.edit', `PUT /forms/${id}`, { body: { ...asked, archived: true }, etag })
    const { settings } = (await read('/forms')) as unknown as Readonly<{ settings: AnswerData }>
    const body = { enabled: true, origins: ['https://shop.example'] }
    await ask('forms.setSettings', 'PUT /form-settings', { body, etag: settings.etag })
  }
  const deadLetters = async (): Promise<void> => {
    const [first, second] = await insertDeadLetters(doors().world, client.applied.workspace.id)
    await ask('deadLetters.retry', `POST /dead-letters/${first}/retry`)
    await ask('deadLetters.discard', `POST /dead-letters/${second}/discard`, { body: { reason: 'It was a try.' } })
  }
  const users = async (): Promise<void> => {
    const { id } = await ask('people.invite', 'POST /people', { body: { email: `new@${SLUG}.example`, role: 'member' } })
    await ask('people.changeRole', `PATCH /people/${id}`, { body: { role: 'admin' } })
    await ask('people.link', `POST /people/${id}/link`)
    await ask('people.remove', `DELETE /people/${id}`)
    await ask('account.changePassword', 'POST /account/password', { body: { password: 'another horse battery' }, by: admin })
  }
  const byOperator = async (): Promise<void> => {
    const of = { by: operator, headers: { 'X-Tidings-Workspace': SLUG } }
    await ask('credits.add', 'POST /credits', { ...of, body: { amount: 5 } })
    type ShownWorkspace = Readonly<{ etag: string; senders: readonly Readonly<{ name: string; etag: string }>[] }>
    const { etag, senders } = dataOf<ShownWorkspace>(await operator.call(`GET /dashboard/system/workspace?slug=${SLUG}`), 200)
    await ask('workspace.changePlan', 'PUT /workspace/plan', { ...of, body: { plan: 'pro' }, etag })
    await ask('system.decideSender', 'POST /system/sender', {
      ...of,
      body: { kind: 'sms', id: 'Acme', decision: 'approve' },
      etag: senders.find(({ name }) => name === 'Acme')?.etag ?? '',
    })
    const body = { slug: MADE, name: 'Made', plan: 'free', country: 'IL' }
    await ask('system.createWorkspace', 'POST /system/workspaces', { by: operator, body })
    const [first, second] = await insertDeadLetters(doors().world, client.applied.workspace.id)
    await ask('system.retryDeadLetter', `POST /system/dead-letters/${first}/retry`, { by: operator })
    await ask('system.discardDeadLetter', `POST /system/dead-letters/${second}/discard`, { by: operator, body: { reason: 'A try.' } })
    for (const status of ['suspended', 'active']) await ask('workspace.changeStatus', 'POST /workspace/status', { ...of, body: { status } })
  }
  const audit = async (query = '') => dataOf<AuditEntryPage>(await owner.call(`GET /dashboard/audit${query}`), 200)

  describe('who did what', () => {
    it('is a row for each command that a session can give', async () => {
      await start()
      const person = await people()
      await lists(person)
      await campaigns(await templates())
      await flows()
      await webhooks()
      await keys()
      await senders()
      await workspace()
      await vocabulary()
      await forms()
      await deadLetters()
      await users()
      await byOperator()
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
        [[client.applied.workspace.id, workspaceIdOf(MADE)]],
      )
      const noted = new Set(rows.map(({ request_id }) => request_id))
      const commands = operationsOf(committedDashboardOpenApi())
        .filter(({ method }) => method !== 'GET')
        .map(({ operation }) => operation.operationId ?? '')
      expect(commands.filter((operation) => !given.has(operation)).toSorted()).toEqual(Object.keys(WITHOUT_ROW).toSorted())
      expect([...given].filter(([, requestId]) => !noted.has(requestId)).map(([operation]) => operation)).toEqual([])
      expect(seen.map(({ headers }) => noted.has(headers.get('x-request-id') ?? ''))).toEqual([true, true, true])
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
