import type { DnsServer } from '@tidings/testing/dns-server'
import { expect } from 'vitest'
import { dataOf } from '../support/answers.ts'
import type { Answer, Client } from '../support/client.ts'
import { insertDeadLetters } from '../support/dead-letters.ts'
import type { Session } from '../support/users.ts'
import type { World } from '../support/world.ts'

export type AnswerData = Readonly<Record<string, unknown>> & Readonly<{ id: string; etag: string }>
type AskOptions = Readonly<{ body?: unknown; etag?: string; by?: Session; headers?: Readonly<Record<string, string>> }>
type AuditedWorkspace = Readonly<{
  world: World
  dns: DnsServer
  client: Client
  admin: Session
  operator: Session
  /** Gives a command, as the owner unless another session is named, and answers its data. */
  ask: <D = AnswerData>(operation: string, route: string, options?: AskOptions) => Promise<D>
  /** What the owner is shown; with a body, what a question is answered that changes nothing. */
  read: (path: string, body?: object) => Promise<AnswerData>
}>
/** The sessions that give the commands, and the id of each command's request by its operation. */
type Commands = Readonly<{ owner: () => Session; given: Map<string, string> }>

export const SLUG = 'audited'
/** A workspace that an operator makes. */
export const MADE = 'audited-made'

/** Asks as a session of the workspace, and notes the request. */
export function createAsk({ owner, given }: Commands): AuditedWorkspace['ask'] {
  return async <D = AnswerData>(
    operation: string,
    route: string,
    { body, etag, by = owner(), headers = {} }: AskOptions = {},
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
}

/** Gives each command that a session can give, and answers the id of the profile that the first ones were about. */
export async function giveEveryCommand(workspace: AuditedWorkspace): Promise<string> {
  const person = await people(workspace)
  await lists(workspace, person)
  await campaigns(workspace, await templates(workspace))
  await flows(workspace)
  await webhooks(workspace)
  await keys(workspace)
  await senders(workspace)
  await workspaceSettings(workspace)
  await vocabulary(workspace)
  await forms(workspace)
  await deadLetters(workspace)
  await users(workspace)
  await byOperator(workspace)
  return person
}

async function people({ ask }: AuditedWorkspace): Promise<string> {
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

async function lists({ ask, client }: AuditedWorkspace, person: string): Promise<void> {
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

async function templates({ ask }: AuditedWorkspace): Promise<string> {
  const { id, etag } = await ask('templates.create', 'POST /templates', {
    body: { name: 'Spring', channel: 'email', subject: 'Spring', html: '<p>One</p>' },
  })
  const edited = await ask('templates.edit', `PUT /templates/${id}`, { body: { subject: 'Spring', html: '<p>Two</p>' }, etag })
  await ask('templates.restoreVersion', `POST /templates/${id}/versions`, { body: { version: 1 }, etag: edited.etag })
  await ask('templates.archive', `POST /templates/${id}/archive`)
  await ask('templates.restore', `POST /templates/${id}/restore`)
  return id
}

async function campaigns({ ask, client }: AuditedWorkspace, templateId: string): Promise<void> {
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

async function flows({ ask, read, client }: AuditedWorkspace): Promise<void> {
  const path = `/flows/${client.applied.flows.Joined}`
  for (const verb of ['pause', 'resume', 'retire', 'restore'])
    await ask(`flows.${verb}`, `POST ${path}/${verb}`, { body: {}, etag: (await read(path)).etag })
  const wanted = (minutes: number) => ({ trigger: { type: 'custom_event', event: 'tea' }, steps: [{ wait: { minutes } }] })
  const { id, etag } = await ask('flows.create', 'POST /flows', { body: { name: 'Tea', ...wanted(60) } })
  await ask('flows.edit', `PUT /flows/${id}`, { body: wanted(30), etag })
}

async function webhooks({ ask }: AuditedWorkspace): Promise<void> {
  const { id } = await ask('webhooks.create', 'POST /webhooks', { body: { url: 'http://127.0.0.1:9/hook', events: ['never.fired'] } })
  const { deliveryId } = await ask<Readonly<{ deliveryId: string }>>('webhooks.test', `POST /webhooks/${id}/test`)
  await ask('webhooks.deliverAgain', `POST /webhooks/${id}/deliveries/${deliveryId}/again`)
  await ask('webhooks.signDelivery', `POST /webhooks/${id}/deliveries/${deliveryId}/signature`)
  for (const verb of ['pause', 'resume']) await ask(`webhooks.${verb}`, `POST /webhooks/${id}/${verb}`)
  await ask('webhooks.delete', `DELETE /webhooks/${id}`)
}

async function keys({ ask }: AuditedWorkspace): Promise<void> {
  const { id } = await ask('apiKeys.create', 'POST /integrations/api-keys', { body: { name: 'Till' } })
  await ask('apiKeys.createForEventIngest', 'POST /integrations/event-ingest-key')
  await ask('apiKeys.createPublishable', 'POST /integrations/publishable-keys', { body: { name: 'Shop' } })
  await ask('apiKeys.revoke', `POST /integrations/api-keys/${id}/revoke`)
  await ask('apiKeys.delete', `DELETE /integrations/api-keys/${id}`)
}

async function senders({ ask, dns }: AuditedWorkspace): Promise<void> {
  const domain = `mail.${SLUG}.example`
  const path = `/senders/domains/${domain}`
  const { texts } = dns
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

async function workspaceSettings({ ask, read }: AuditedWorkspace): Promise<void> {
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
  const { etag } = await read('/workspace-file/difference', file.body)
  await ask('workspaceFile.apply', 'POST /workspace-file/apply', { ...file, etag })
  await ask('overview.makeExamples', 'POST /examples')
}

async function vocabulary({ ask, read }: AuditedWorkspace): Promise<void> {
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

async function forms({ ask, read, client }: AuditedWorkspace): Promise<void> {
  const asked = { listId: client.applied.lists.VIP, confirmation: null }
  const { id, etag } = await ask('forms.create', 'POST /forms', { body: { id: 'footer', ...asked } })
  await ask('forms.edit', `PUT /forms/${id}`, { body: { ...asked, archived: true }, etag })
  const { settings } = (await read('/forms')) as unknown as Readonly<{ settings: AnswerData }>
  const body = { enabled: true, origins: ['https://shop.example'] }
  await ask('forms.setSettings', 'PUT /form-settings', { body, etag: settings.etag })
}

async function deadLetters({ ask, client, world }: AuditedWorkspace): Promise<void> {
  const [first, second] = await insertDeadLetters(world, client.applied.workspace.id)
  await ask('deadLetters.retry', `POST /dead-letters/${first}/retry`)
  await ask('deadLetters.discard', `POST /dead-letters/${second}/discard`, { body: { reason: 'It was a try.' } })
}

async function users({ ask, admin }: AuditedWorkspace): Promise<void> {
  const { id } = await ask('people.invite', 'POST /people', { body: { email: `new@${SLUG}.example`, role: 'member' } })
  await ask('people.changeRole', `PATCH /people/${id}`, { body: { role: 'admin' } })
  await ask('people.link', `POST /people/${id}/link`)
  await ask('people.remove', `DELETE /people/${id}`)
  await ask('account.changePassword', 'POST /account/password', { body: { password: 'another horse battery' }, by: admin })
}

async function byOperator({ ask, client, world, operator }: AuditedWorkspace): Promise<void> {
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
  const [first, second] = await insertDeadLetters(world, client.applied.workspace.id)
  await ask('system.retryDeadLetter', `POST /system/dead-letters/${first}/retry`, { by: operator })
  await ask('system.discardDeadLetter', `POST /system/dead-letters/${second}/discard`, { by: operator, body: { reason: 'A try.' } })
  await ask('system.askProjectionJob', 'POST /system/projections/jobs', { by: operator, body: { projection: 'profiles', act: 'compare' } })
  for (const status of ['suspended', 'active']) await ask('workspace.changeStatus', 'POST /workspace/status', { ...of, body: { status } })
}
