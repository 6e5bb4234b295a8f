import type { TSchema } from '@sinclair/typebox'
import { createEventLog, memoryKeyRing, upcasters } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import { eventDeclarations } from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { describe, expect, it } from 'vitest'
import { applyWorkspaceFile } from '../src/apply.ts'
import { createProvisioner } from '../src/provisioner.ts'
import { parseWorkspaceFile } from '../src/workspace-file/parse.ts'
import { WorkspaceFile } from '../src/workspace-file/schema.ts'

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

const RULE = { field: 'firstName', op: 'eq', value: 'Ada' }

/** Every field of every entity, so that each can be changed alone. */
const FILE = {
  workspace: { slug: 'acme', name: 'Acme', plan: 'free' },
  users: [{ email: 'owner@acme.example', password: 'correct horse', role: 'owner' }],
  apiKeys: [{ name: 'server', publishable: false }],
  features: ['embedded_forms'],
  formOrigins: ['https://shop.acme.example'],
  credits: 10,
  country: 'IL',
  timezone: 'Asia/Jerusalem',
  quietHours: { from: '21:00', to: '08:00' },
  frequencyCap: { messages: 3, days: 7 },
  tracking: false,
  customFields: [{ key: 'size', label: 'Size', kind: 'select', options: [{ label: 'Small', value: 's' }] }],
  senderDomains: [{ domain: 'acme.example', verified: true, blocklisted: false }],
  senderAddresses: [
    { email: 'hello@acme.example', name: 'Acme', verified: true },
    { email: 'second@acme.example', name: 'Acme', verified: true },
  ],
  smsSenderIds: [{ id: 'ACME', number: '+972501110000', status: 'approved' }],
  smsReplies: { stop: 'Stopped', start: 'Started', help: 'Ask us' },
  stopWords: ['basta'],
  templates: [
    { name: 'mail', fromName: 'Shop', archived: false, channel: 'email', subject: 'Hi', html: '<p>Hi {{unsubscribeUrl}}</p>', text: 'Hi' },
    { name: 'sms', fromName: 'Shop', archived: false, channel: 'sms', body: 'Hi' },
    {
      name: 'push',
      fromName: 'Shop',
      archived: false,
      channel: 'push',
      push: { title: 'T', body: 'B', url: 'https://a.example', icon: 'https://a.example/i.png' },
    },
    { name: 'confirm', channel: 'email', subject: 'Confirm', html: '<a href="{{confirmUrl}}">Confirm</a>' },
    { name: 'confirm two', channel: 'email', subject: 'Confirm', html: '<a href="{{confirmUrl}}">Confirm</a>' },
  ],
  lists: [
    { name: 'Named', type: 'static' },
    { name: 'Ruled', type: 'dynamic', rule: RULE },
    { name: 'Other', type: 'static' },
  ],
  tags: [{ name: 'spring', color: 'accent' }],
  campaigns: [
    {
      name: 'Sale',
      channel: 'email',
      status: 'draft',
      tags: ['spring'],
      list: 'Named',
      template: 'mail',
      from: 'hello@acme.example',
      archived: false,
      quietHours: 'wait',
      variants: 2,
    },
  ],
  customEvents: [{ name: 'bought', label: 'Bought', properties: ['id'], retired: false }],
  connectors: [{ name: 'shop', secret: 'secret-of-shop' }],
  forms: [{ id: 'footer', list: 'Named', doubleOptIn: true, template: 'confirm', from: 'hello@acme.example', archived: false }],
  flows: [{ name: 'Hello', trigger: { type: 'list_joined', list: 'Named' }, steps: [{ wait: { minutes: 5 } }], retired: false }],
} as const satisfies Json

type Change = Readonly<{ to: Json /** What the log then says, where that is not the value. */; says?: string }>

/** Another value of each field, by its place in the file. */
const CHANGES = Object.entries<Change>({
  'workspace.name': { to: 'Acme Two' },
  'workspace.plan': { to: 'pro' },
  'users.0.email': { to: 'other@acme.example' },
  'users.0.password': { to: 'battery staple', says: 'password' },
  'users.0.role': { to: 'admin' },
  'apiKeys.0.name': { to: 'other' },
  'apiKeys.0.publishable': { to: true, says: 'pk_evt_' },
  features: { to: [], says: 'features' },
  formOrigins: { to: ['https://other.example'] },
  country: { to: 'FR' },
  timezone: { to: 'Europe/Paris' },
  'quietHours.from': { to: '22:00' },
  'quietHours.to': { to: '09:00' },
  'frequencyCap.messages': { to: 4 },
  'frequencyCap.days': { to: 8 },
  tracking: { to: true },
  'customFields.0.key': { to: 'colour' },
  'customFields.0.label': { to: 'How large' },
  'customFields.0.kind': { to: 'multiSelect' },
  'customFields.0.options.0.label': { to: 'Tiny' },
  'customFields.0.options.0.value': { to: 'xs' },
  'senderDomains.0.domain': { to: 'b.example' },
  'senderDomains.0.verified': { to: false },
  'senderDomains.0.blocklisted': { to: true },
  'senderAddresses.0.email': { to: 'news@acme.example' },
  'senderAddresses.0.name': { to: 'Acme News' },
  'senderAddresses.0.verified': { to: false, says: 'pending' },
  'smsSenderIds.0.number': { to: '+972501110001' },
  'smsSenderIds.0.status': { to: 'rejected', says: 'SmsSenderIdRejected' },
  'smsReplies.stop': { to: 'You are out' },
  'smsReplies.start': { to: 'You are in' },
  'smsReplies.help': { to: 'Call us' },
  stopWords: { to: ['finito'] },
  'templates.0.name': { to: 'mail two' },
  'templates.0.fromName': { to: 'Shop Two' },
  'templates.0.archived': { to: true, says: 'TemplateArchived' },
  'templates.0.subject': { to: 'Hello' },
  'templates.0.html': { to: '<p>Hello</p>' },
  'templates.0.text': { to: 'Hello' },
  'templates.1.name': { to: 'sms two' },
  'templates.1.fromName': { to: 'Shop Two' },
  'templates.1.archived': { to: true, says: 'TemplateArchived' },
  'templates.1.body': { to: 'Hello' },
  'templates.2.name': { to: 'push two' },
  'templates.2.fromName': { to: 'Shop Two' },
  'templates.2.archived': { to: true, says: 'TemplateArchived' },
  'templates.2.push.title': { to: 'Title' },
  'templates.2.push.body': { to: 'Body' },
  'templates.2.push.url': { to: 'https://b.example' },
  'templates.2.push.icon': { to: 'https://b.example/i.png' },
  'lists.1.name': { to: 'Ruled two' },
  'lists.1.rule': { to: { ...RULE, value: 'Bob' }, says: 'Bob' },
  'tags.0.name': { to: 'summer' },
  'tags.0.color': { to: 'danger' },
  'campaigns.0.name': { to: 'Sale two' },
  'campaigns.0.tags': { to: [], says: 'Campaign' },
  'campaigns.0.list': { to: 'Ruled', says: 'Campaign' },
  'campaigns.0.from': { to: 'second@acme.example', says: 'CampaignChanged' },
  'campaigns.0.archived': { to: true },
  'campaigns.0.quietHours': { to: 'skip' },
  'campaigns.0.variants': { to: 3 },
  'customEvents.0.name': { to: 'sold' },
  'customEvents.0.label': { to: 'Was bought' },
  'customEvents.0.properties': { to: ['price'] },
  'customEvents.0.retired': { to: true },
  'connectors.0.name': { to: 'shop two' },
  'connectors.0.secret': { to: 'another-secret', says: 'Connector' },
  'forms.0.id': { to: 'header' },
  'forms.0.list': { to: 'Other', says: 'Form' },
  'forms.0.template': { to: 'confirm two', says: 'Form' },
  'forms.0.from': { to: 'second@acme.example', says: 'Form' },
  'forms.0.archived': { to: true, says: 'FormArchived' },
  'campaigns.0.template': { to: 'confirm', says: 'Campaign' },
  'flows.0.name': { to: 'Hello two' },
  'flows.0.trigger.list': { to: 'Ruled', says: 'Flow' },
  'flows.0.steps': { to: [{ wait: { minutes: 6 } }], says: '6' },
  'flows.0.retired': { to: true, says: 'FlowRetired' },
})

/** Records that others name. */
const HELPERS = ['templates.3.', 'templates.4.', 'senderAddresses.1.', 'lists.0.', 'lists.2.']

/** Fields whose other value is refused with a sentence, since the record is what it is, or others of its fields go with it. */
const REFUSED = Object.entries<Json>({
  'workspace.slug': 'other',
  'smsSenderIds.0.id': 'OTHER',
  'lists.1.type': 'static',
  'campaigns.0.channel': 'sms',
  'forms.0.doubleOptIn': false,
})
/** What a file says when it is first applied (N171, D6): commands change it from then on. */
const SAID_FIRST = Object.entries<Json>({ credits: 20, 'campaigns.0.status': 'cancelled' })

const isObject = (schema: TSchema): boolean => schema.type === 'object' && schema.properties !== undefined

/** The places of all fields, of those alternatives that the file has. */
function fieldsOf(schema: TSchema, value: unknown, place: string): readonly string[] {
  const alternatives: readonly TSchema[] = schema.anyOf ?? []
  if (alternatives.length > 0) {
    const objects = alternatives.filter(isObject)
    const fitting = objects.find(({ properties }) =>
      Object.entries<TSchema>(properties).every(
        ([key, { const: wanted }]) => wanted === undefined || wanted === (value as Record<string, unknown>)?.[key],
      ),
    )
    return fitting === undefined ? [place] : fieldsOf(fitting, value, place)
  }
  if (isObject(schema))
    return Object.entries<TSchema>(schema.properties)
      .filter(([, inner]) => inner.const === undefined)
      .flatMap(([key, inner]) => fieldsOf(inner, (value as Record<string, unknown>)?.[key], place === '' ? key : `${place}.${key}`))
  const items: TSchema | undefined = schema.type === 'array' ? schema.items : undefined
  const isOfRecords = items !== undefined && (isObject(items) || (items.anyOf ?? []).some(isObject))
  if (!isOfRecords || items === undefined) return [place]
  return ((value as readonly unknown[]) ?? []).flatMap((one, n) => fieldsOf(items, one, `${place}.${n}`))
}

const withChange = (value: unknown, [key = '', ...rest]: readonly string[], to: Json): unknown => {
  const inner = rest.length === 0 ? to : withChange((value as Record<string, unknown>)[key], rest, to)
  if (Array.isArray(value)) return value.map((one, n) => (n === Number(key) ? inner : one))
  return { ...(value as object), [key]: inner }
}

const installation = () => {
  const log = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing: memoryKeyRing() })
  const provisioner = createProvisioner(createCommandRunner({ log }), { dynamicLists: async () => [] })
  const events = async () => (await log.readAll('start', 10_000)).events
  return { events, apply: (file: unknown) => applyWorkspaceFile(provisioner, parseWorkspaceFile(JSON.stringify(file))) }
}

/** A password takes as long to be hashed as it should. */
const baseOf = (place: string): object => {
  const { users, ...others } = FILE
  return place.startsWith('users.') ? FILE : others
}

/** Applies the file, then the file with one other value; what the log has of the second. */
const applied = async (place: string, to: Json) => {
  const { events, apply } = installation()
  const base = baseOf(place)
  await apply(base)
  const before = (await events()).length
  const changed = withChange(base, place.split('.'), to)
  await apply(changed)
  const written = (await events()).slice(before)
  return { apply: () => apply(changed), events, count: before + written.length, written: written.map(({ type, data }) => ({ type, data })) }
}

describe('a field of the workspace file', () => {
  it('that is new is named here, with another value of it', () => {
    const fields = fieldsOf(WorkspaceFile, FILE, '').filter((place) => !HELPERS.some((helper) => place.startsWith(helper)))
    expect([...CHANGES, ...REFUSED, ...SAID_FIRST].map(([place]) => place).toSorted()).toEqual(fields.toSorted())
  })

  it.each(CHANGES)(
    '%s that changes alone is kept, and changes nothing the second time',
    async (place, { to, says = JSON.stringify(to) }) => {
      const { apply, events, count, written } = await applied(place, to)
      expect(JSON.stringify(written)).toContain(says)
      await apply()
      expect(await events()).toHaveLength(count)
    },
  )

  it.each(REFUSED)('%s that cannot change alone is refused', async (place, to) => {
    await expect(applied(place, to)).rejects.toThrow(
      place.split('.')[0] === 'workspace' ? /of the workspace acme/ : /^(?:smsSenderIds|lists|campaigns|forms)\[\d\]\./,
    )
  })

  it.each(SAID_FIRST)('%s is read once', async (place, to) => {
    expect((await applied(place, to)).written).toEqual([])
  })
})
