import { createEventLog, memoryKeyRing, upcasters } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import { eventDeclarations, FEATURES, MAX_DYNAMIC_LISTS, TAG_COLORS, type WorkspaceEvent, workspaceStream } from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyWorkspaceFile } from '../src/apply.ts'
import { createProvisioner } from '../src/provisioner.ts'
import { firstMistake } from '../src/workspace-file/mistakes.ts'
import { parseWorkspaceFile } from '../src/workspace-file/parse.ts'
import type { WorkspaceFile } from '../src/workspace-file/schema.ts'

const installation = (dynamicLists: readonly string[] = []) => {
  const log = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing: memoryKeyRing() })
  const provisioner = createProvisioner(createCommandRunner({ log }), { dynamicLists: async () => dynamicLists })
  return { log, apply: (file: WorkspaceFile) => applyWorkspaceFile(provisioner, file) }
}

// Few names, so that they meet; some that objects have by themselves.
const name = fc.constantFrom('a', 'b', 'VIP', 'Ünïted ☕', '__proto__', 'constructor')
const records = <T>(record: fc.Arbitrary<T>, by: (record: T) => unknown) =>
  fc.option(fc.uniqueArray(record, { maxLength: 4, selector: by }), { nil: undefined })
const email = fc.constantFrom('hello@acme.example', ' News@Acme.example')

/** Users are left out: a hash of theirs takes as long as it should. */
const sections = fc.record(
  {
    features: fc.subarray([...FEATURES]),
    formOrigins: fc.subarray(['https://shop.acme.example', 'https://Blog.acme.example/', 'http://localhost:5173']),
    credits: fc.nat({ max: 1_000 }),
    country: fc.constantFrom('IL', 'FR'),
    apiKeys: records(fc.record({ name }), ({ name }) => name),
    customFields: records(fc.record({ key: name, label: name, kind: fc.constantFrom('text', 'number') }), ({ key }) => key),
    senderDomains: records(
      fc.record({ domain: fc.constantFrom('acme.example', 'b.example'), verified: fc.boolean() }),
      (one) => one.domain,
    ),
    senderAddresses: records(fc.record({ email, name, verified: fc.boolean() }), (one) => one.email),
    smsSenderIds: records(
      fc.record({ id: fc.constantFrom('ACME', 'Other'), status: fc.constantFrom('pending', 'approved', 'rejected') }),
      ({ id }) => id,
    ),
    templates: records(
      fc.record({ name, channel: fc.constant('email'), subject: fc.string(), html: fc.string(), archived: fc.boolean() }),
      (one) => one.name,
    ),
    tags: records(fc.record({ name, color: fc.constantFrom(...TAG_COLORS) }), (one) => one.name),
    customEvents: records(fc.record({ name, retired: fc.boolean() }), (one) => one.name),
  },
  { requiredKeys: [] },
)

/** Campaigns and forms name the lists of the same file. */
const files = fc
  .record({ sections, lists: fc.uniqueArray(name, { minLength: 1, maxLength: 3 }), forms: fc.uniqueArray(name, { maxLength: 3 }) })
  .map(({ sections: some, lists, forms }) => {
    const given = Object.fromEntries(Object.entries(some).filter(([, value]) => value !== undefined))
    return {
      workspace: { slug: 'acme', name: 'Acme' },
      ...given,
      lists: lists.map((list) => ({ name: list, type: 'static' })),
      forms: forms.map((id, i) => ({ id, list: lists[i % lists.length] })),
      campaigns: forms.map((campaign, i) => ({ name: campaign, channel: 'email', list: lists[i % lists.length] })),
    } as WorkspaceFile
  })

it('a file that is applied again, whatever was applied before it, appends nothing and returns the same ids', async () => {
  await fc.assert(
    fc.asyncProperty(files, files, async (before, file) => {
      fc.pre(firstMistake(before) === undefined && firstMistake(file) === undefined)
      const { log, apply } = installation()
      await apply(before)
      const { applied } = await apply(file)
      const head = await log.head()
      const again = await apply(file)
      expect(again.changes).toEqual([])
      expect(await log.head()).toEqual(head)
      const withoutKeys = { ...applied, apiKeys: applied.apiKeys.map(({ id, name: of }) => ({ id, name: of })) }
      expect(again.applied).toEqual(withoutKeys)
    }),
    { numRuns: 60 },
  )
})

const EXAMPLE = `
workspace: { slug: acme, name: Acme Ltd, plan: pro }
users:
  - { email: owner@acme.example, password: "correct horse battery", role: owner }
apiKeys:
  - { name: server }
features: [embedded_forms]
formOrigins: ["https://shop.acme.example"]
credits: 1000
country: IL
customFields:
  - { key: size, label: Shoe size, kind: select, options: [ { label: Small, value: s }, { label: Large, value: l } ] }
senderDomains:
  - { domain: acme.example, verified: true, blocklisted: false }
senderAddresses:
  - { email: hello@acme.example, name: Acme, verified: true }
smsSenderIds:
  - { id: ACME, status: approved }
templates:
  - { name: welcome, channel: email, subject: "Hi {{firstName|there}}", html: "<p>Your code is {{code}}</p>", text: "…", fromName: Acme, archived: false }
  - { name: ready, channel: sms, body: "Order {{orderId}} is ready" }
lists:
  - { name: VIP, type: static }
tags: [ { name: spring, color: accent } ]
campaigns:
  - { name: Spring sale, channel: email, status: draft, tags: [spring], list: VIP, template: welcome, from: hello@acme.example, archived: false, variants: 1 }
customEvents:
  - { name: order_placed, label: Order placed, properties: [orderId, total], retired: false }
forms:
  - { id: footer, list: VIP }
`

it('a file with every section that this version supports is taken whole, and again without a change', async () => {
  const { log, apply } = installation()
  const file = parseWorkspaceFile(EXAMPLE)
  const { applied, changes } = await apply(file)
  expect(Object.keys(applied)).toEqual([
    ...[
      'workspace',
      'apiKeys',
      'senderDomains',
      'senderAddresses',
      'templates',
      'lists',
      'tags',
      'campaigns',
      'flows',
      'customFields',
      'users',
    ],
  ])
  expect(changes).toEqual(
    expect.arrayContaining([
      'set the features: embedded_forms',
      'set the origins of embedded forms: https://shop.acme.example',
      'set an embedded form: footer',
    ]),
  )
  const head = await log.head()
  expect((await apply(file)).changes).toEqual([])
  expect(await log.head()).toEqual(head)
})

it('the progress ends where it said it would, and never goes back', async () => {
  const reported: (readonly [number, number])[] = []
  const log = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing: memoryKeyRing() })
  const to = createProvisioner(createCommandRunner({ log }))
  await applyWorkspaceFile(to, parseWorkspaceFile(EXAMPLE), (done, total) => reported.push([done, total]))
  expect(reported.map(([done]) => done)).toEqual(reported.map((_, n) => n + 1))
  expect(new Set(reported.map(([, total]) => total))).toEqual(new Set([reported.length]))
})

it('a form that names no list changes nothing', async () => {
  const { log, apply } = installation()
  const file = parseWorkspaceFile(EXAMPLE.replace('id: footer, list: VIP', 'id: footer, list: Unknown'))
  await expect(apply(file)).rejects.toThrow('forms[0].list: there is no list "Unknown", neither in the file nor in the workspace')
  expect(await log.head()).toEqual({ commit: -1n, prepare: -1n })
})

describe('lists', () => {
  const asDynamic = (names: readonly string[]) =>
    parseWorkspaceFile(
      `workspace: { slug: acme, name: Acme }\ntags: [ { name: new } ]\nlists:\n${names
        .map((name) => `  - { name: ${name}, type: dynamic, rule: { field: firstName, op: exists, value: true } }`)
        .join('\n')}`,
    )

  it('that would change their type change nothing', async () => {
    const { log, apply } = installation()
    await apply(parseWorkspaceFile(EXAMPLE))
    const head = await log.head()
    await expect(apply(asDynamic(['Other', 'VIP']))).rejects.toThrow(
      'lists[1].type: "VIP" is a static list, use another name for a dynamic one',
    )
    expect(await log.head()).toEqual(head)
  })

  it('beyond the dynamic ones that a workspace may have change nothing', async () => {
    const { log, apply } = installation(Array.from({ length: MAX_DYNAMIC_LISTS - 1 }, (_, n) => `list ${n}`))
    await expect(apply(asDynamic(['One', 'Two', 'Three']))).rejects.toThrow(
      'lists: the workspace has 199 dynamic lists and may have 200: remove at least 2 new ones',
    )
    expect(await log.head()).toEqual({ commit: -1n, prepare: -1n })
    await apply(asDynamic(['One']))
  })

  it('that are there may be applied again, however many there are', async () => {
    const known: string[] = []
    const { apply } = installation(known)
    await apply(asDynamic(['One']))
    known.push(...Array.from({ length: MAX_DYNAMIC_LISTS + 1 }, (_, n) => `list ${n}`))
    expect((await apply(asDynamic(['One']))).changes).toEqual([])
  })
})

describe('a form with double opt-in', () => {
  const asking = (template: string) => EXAMPLE.replace('id: footer, list: VIP', `id: footer, list: VIP, doubleOptIn: true, ${template}`)
  const CONFIRM = `templates:
  - { name: confirm, channel: email, subject: Please confirm, html: "<a href='{{ confirmUrl }}'>Yes</a>" }
  - { name: silent, channel: email, subject: Please confirm, html: "{{confirmUrl}}", text: "no link" }`

  it('is stored with the ids of its template and sender, and forgets them when the file says so', async () => {
    const { log, apply } = installation()
    const { applied } = await apply(
      parseWorkspaceFile(asking('template: confirm, from: Hello@acme.example').replace('templates:', CONFIRM)),
    )
    const stored = async () =>
      (await log.readStream<WorkspaceEvent>(applied.workspace.id, workspaceStream(applied.workspace.id))).flatMap(({ type, data }) =>
        type === 'FormConfigured' ? [data] : [],
      )
    const ids = { templateId: applied.templates.confirm, senderAddressId: applied.senderAddresses['hello@acme.example'] }
    expect((await stored()).map(({ confirmation }) => confirmation)).toEqual([ids])
    await apply(parseWorkspaceFile(EXAMPLE))
    expect((await stored()).map(({ confirmation }) => confirmation)).toEqual([ids, null])
  })

  it('is archived and brought back by the file, which says so in its changes', async () => {
    const { apply } = installation()
    await apply(parseWorkspaceFile(EXAMPLE))
    const archived = parseWorkspaceFile(EXAMPLE.replace('id: footer, list: VIP', 'id: footer, list: VIP, archived: true'))
    expect((await apply(archived)).changes).toEqual(['archived an embedded form: footer'])
    expect((await apply(archived)).changes).toEqual([])
    expect((await apply(parseWorkspaceFile(EXAMPLE))).changes).toEqual(['restored an embedded form: footer'])
  })

  it.each([
    [
      'template: unknown, from: hello@acme.example',
      'forms[0].template: there is no template "unknown", neither in the file nor in the workspace',
    ],
    ['template: ready, from: hello@acme.example', 'forms[0].template: "ready" is for sms, the confirmation is an email'],
    ['template: welcome, from: hello@acme.example', 'forms[0].template: "welcome" must have the link {{confirmUrl}}'],
    ['template: silent, from: hello@acme.example', 'forms[0].template: "silent" must have the link {{confirmUrl}}'],
    ['template: confirm, from: who@acme.example', 'forms[0].from: there is no sender address "who@acme.example"'],
  ])('changes nothing where its mail could not be sent: %s', async (names, sentence) => {
    const { log, apply } = installation()
    await expect(apply(parseWorkspaceFile(asking(names).replace('templates:', CONFIRM)))).rejects.toThrow(sentence)
    expect(await log.head()).toEqual({ commit: -1n, prepare: -1n })
  })
})

describe('a template that a form asks to confirm with', () => {
  const mail = { name: 'ask', channel: 'email' as const, subject: 'Please', html: '<a href="{{confirmUrl}}">Confirm</a>' }
  const asking = { id: 'footer', list: 'VIP', doubleOptIn: true, template: 'ask', from: 'hello@acme.example' }
  const file = (more: Partial<WorkspaceFile>): WorkspaceFile => ({ workspace: { slug: 'acme', name: 'Acme' }, ...more })
  const FIRST = file({
    senderAddresses: [{ email: 'hello@acme.example', verified: true }],
    templates: [mail, { ...mail, name: 'other' }],
    lists: [{ name: 'VIP', type: 'static' }],
    forms: [asking],
  })
  const without = { ...mail, html: '<p>Thanks</p>' }

  const REFUSED: readonly (readonly [string, Partial<WorkspaceFile>, string])[] = [
    [
      'loses its link',
      { templates: [without] },
      'templates[0]: the form "footer" asks to confirm sign-ups with this template: "ask" must have',
    ],
    ['is archived', { templates: [{ ...mail, archived: true }] }, 'templates[0].archived: the form "footer" asks'],
    [
      'is archived with its form',
      { templates: [{ ...mail, archived: true }], forms: [{ ...asking, archived: true }] },
      'templates[0].archived: the form "footer" asks',
    ],
  ]
  it.each(REFUSED)('is refused where it %s, and nothing is written', async (_, more, sentence) => {
    const { log, apply } = installation()
    await apply(FIRST)
    const before = await log.head()
    await expect(apply(file({ ...more, timezone: 'Asia/Jerusalem' }))).rejects.toThrow(sentence)
    expect(await log.head()).toEqual(before)
  })

  const archived = { ...mail, name: 'old', archived: true }
  const REFUSED_ARCHIVED: readonly (readonly [string, Partial<WorkspaceFile>])[] = [
    ['a form that is there', { forms: [{ ...asking, template: 'old' }] }],
    ['a new form, and the file names it too', { templates: [archived], forms: [{ ...asking, id: 'new', template: 'old' }] }],
    [
      'a form that asks because every sign-up does',
      {
        doubleOptIn: 'required',
        forms: [
          { ...asking, template: 'old' },
          { id: 'new', list: 'VIP' },
        ],
      },
    ],
  ]
  it.each(REFUSED_ARCHIVED)('that is archived is refused %s', async (_, more) => {
    const { log, apply } = installation()
    await apply({ ...FIRST, templates: [mail, archived] })
    const before = await log.head()
    await expect(apply(file({ ...more, timezone: 'Asia/Jerusalem' }))).rejects.toThrow('forms[0].template: "old" is archived')
    expect(await log.head()).toEqual(before)
    const restored = { templates: [{ ...archived, archived: false }] }
    await apply(file({ ...more, ...restored }))
  })

  it('may change otherwise, and do so where the file has the form ask with another, or not at all', async () => {
    const { apply } = installation()
    await apply(FIRST)
    expect((await apply(file({ templates: [{ ...mail, subject: 'Confirm?' }] }))).changes).toEqual(['changed a template: ask'])
    await apply(file({ templates: [without], forms: [{ ...asking, template: 'other' }] }))
    await apply(file({ templates: [{ ...without, name: 'other' }], forms: [{ id: 'footer', list: 'VIP' }] }))
  })
})
