import { describe, expect, it } from 'vitest'
import { parseWorkspaceFile } from '../../src/workspace-file/parse.ts'

const workspace = 'workspace: { slug: acme, name: Acme Ltd }\n'

const flow = (trigger: string, steps: string): string => `workspace: { slug: acme, name: Acme Ltd }
flows: [{ name: a, trigger: ${trigger}, steps: ${steps} }]`
const nested = (depth: number): string =>
  depth === 0 ? '[]' : `[{ branch: { rule: { field: firstName, op: exists, value: true }, then: ${nested(depth - 1)} } }]`

describe('a workspace file', () => {
  it('is read with everything that Tidings supports', () => {
    const file = parseWorkspaceFile(`${workspace}
apiKeys: [{ name: server }]
country: IL
senderDomains: [{ domain: acme.example, verified: true }]
senderAddresses: [{ email: hello@acme.example, name: Acme, verified: true }]
templates:
  - { name: welcome, channel: email, subject: Hi, html: "<p>{{code}}</p>" }
  - { name: ready, channel: sms, body: Order is ready }
  - { name: ping, channel: push, push: { title: T, body: B } }
lists:
  - { name: VIP, type: static }
  - { name: Big spenders, type: dynamic, rule: { all: [{ field: customProperties.spend, op: gte, value: 1000 }] } }
tags: [{ name: spring, color: accent }, { name: plain }]
users: [{ email: owner@acme.example, password: correct horse battery, role: owner }]
credits: 1000
customFields: [{ key: size, label: Shoe size, kind: select, options: [{ label: Small, value: s }] }, { key: born, label: Born, kind: date }]
smsSenderIds: [{ id: ACME, status: approved }, { id: A b }]
campaigns: [{ name: Sale, channel: email, status: draft, tags: [spring], list: VIP, template: welcome, from: hello@acme.example, variants: 2 }]
customEvents: [{ name: order_placed, label: Order placed, properties: [orderId], retired: false }, { name: seen }]
features: [embedded_forms]
formOrigins: ["https://shop.acme.example", "http://localhost:5173"]
forms: [{ id: footer, list: VIP }]`)
    expect(file.workspace.slug).toBe('acme')
    expect(file.templates?.map(({ channel }) => channel)).toEqual(['email', 'sms', 'push'])
  })

  it.each([
    ['apiKeys: []', 'workspace is missing'],
    [`${workspace}timezone: GMT+3`, 'timezone: "GMT+3" is no time zone: write a name of IANA, like Asia/Jerusalem'],
    [
      `${workspace}lists: [{ name: A, type: dynamic, rule: { all: [{ field: customProperties.born, op: gte, value: 2027-02-30 }] } }]`,
      'lists[0].rule: 2027-02-30 is a day that its month does not have',
    ],
    [`${workspace}timezone: Mars/Phobos`, 'timezone: "Mars/Phobos" is no time zone: write a name of IANA, like Asia/Jerusalem'],
    [
      `${workspace}lists: [{ name: A, type: dynamic, rule: { field: customProperties.id, op: eq, value: 4634343214213523454 } }]`,
      '4634343214213523454 is a number that cannot be kept exactly: write it in quotes',
    ],
    ['workspace: { slug: ACME, name: A }', 'workspace.slug must match ^[a-z0-9-]{1,24}$'],
    ['workspace: { slug: acme, name: A, plan: gold }', 'workspace.plan must be one of free, starter, pro, enterprise'],
    ['workspace: { slug: acme, name: A, colour: red }', 'workspace.colour is not a field of the workspace file'],
    [`${workspace}templates: [{ name: a, channel: fax }]`, 'templates[0].channel must be one of email, sms, push'],
    [`${workspace}templates: [{ name: a, channel: email, html: x }]`, 'templates[0].subject is missing'],
    [`${workspace}templates: [{ name: a, channel: sms, body: x, html: y }]`, 'templates[0].html is not a field of the workspace file'],
    [`${workspace}templates: [5]`, 'templates[0] must be a map'],
    [`${workspace}apiKeys: [{ name: a }, { name: a }]`, 'apiKeys[1] repeats "a"'],
    [`${workspace}senderAddresses: [{ email: A@b.example }, { email: a@b.example }]`, 'senderAddresses[1] repeats "a@b.example"'],
    [`${workspace}tags: [{ name: a, color: pink }]`, 'tags[0].color must be one of neutral, primary, accent, warn, danger, info, violet'],
    [`${workspace}tags: [{ name: a }, { name: " a " }]`, 'tags[1] repeats "a"'],
    [`${workspace}tags: [{ name: " " }]`, /^tags\[0\].name must match /],
    [`${workspace}lists: [{ name: VIP }]`, 'lists[0].type is missing'],
    [`${workspace}lists: [{ name: VIP, type: smart }]`, 'lists[0].type must be one of static, dynamic'],
    [`${workspace}lists: [{ name: VIP, type: static, rule: { all: [] } }]`, 'lists[0].rule is not a field of a static list'],
    [`${workspace}lists: [{ name: VIP, type: static }, { name: VIP, type: static }]`, 'lists[1] repeats "VIP"'],
    [
      `${workspace}lists: [{ name: VIP, type: static }, { name: Big, type: dynamic, rule: { all: [] } }]`,
      'lists[1].rule.all must be a list with at least one condition',
    ],
    [`${workspace}lists: [{ name: Big, type: dynamic }]`, 'lists[0].rule is missing: a dynamic list has one'],
    [`${workspace}lists: [{ name: Big, type: dynamic, rule: { field: tags, op: eq, value: 5 } }]`, 'lists[0].rule.value must be a text'],
    [
      `${workspace}lists: [{ name: Big, type: dynamic, rule: { field: tags, op: eq, value: a } }]\nforms: [{ id: a, list: Big }]`,
      'forms[0].list: "Big" is a dynamic list, whose members follow its rule',
    ],
    [`${workspace}users: [{ email: owner, password: correct horse, role: owner }]`, /^users\[0\].email must match /],
    [`${workspace}users: [{ email: a@b.example, password: short, role: owner }]`, /^users\[0\].password: .*8 \(it is 5 characters long\)$/],
    [
      `${workspace}users: [{ email: a@b.example, password: correct horse, role: root }]`,
      'users[0].role must be one of owner, admin, member',
    ],
    [`${workspace}credits: -1`, /^credits: /],
    [`${workspace}credits: 1.5`, /^credits: /],
    [`${workspace}customFields: [{ key: a, label: A, kind: colour }]`, /^customFields\[0\].kind must be one of text, number, /],
    [`${workspace}customFields: [{ key: a, label: A, kind: select }]`, 'customFields[0].options is missing: a select needs at least one'],
    [
      `${workspace}customFields: [{ key: a, label: A, kind: text, options: [{ label: B, value: b }] }]`,
      'customFields[0].options is not a field of the kind text',
    ],
    [
      `${workspace}customFields: [{ key: a, label: A, kind: select, options: [{ label: B, value: b }, { label: C, value: b }] }]`,
      'customFields[0].options[1] repeats "b"',
    ],
    [`${workspace}customFields: [{ key: a, label: A, kind: text }, { key: a, label: B, kind: text }]`, 'customFields[1] repeats "a"'],
    [`${workspace}smsSenderIds: [{ id: twelve chars }]`, /^smsSenderIds\[0\].id must match /],
    [`${workspace}smsSenderIds: [{ id: ACME }, { id: acme }]`, 'smsSenderIds[1] repeats "acme"'],
    [`${workspace}smsSenderIds: [{ id: Shop }]`, 'smsSenderIds[0].id: "Shop" is a shared name that no workspace can have'],
    [`${workspace}smsSenderIds: [{ id: ACME, status: live }]`, 'smsSenderIds[0].status must be one of pending, approved, rejected'],
    [
      `${workspace}customEvents: [{ name: order.completed }]`,
      'customEvents[0].name: "order.completed" is a built-in event, use another name',
    ],
    [`${workspace}customEvents: [{ name: a }, { name: a }]`, 'customEvents[1] repeats "a"'],
    [`${workspace}campaigns: [{ name: a, channel: push }]`, 'campaigns[0].channel must be one of email, sms'],
    [
      `${workspace}campaigns: [{ name: a, channel: sms, status: sending }]`,
      'campaigns[0].status must be one of draft, sent, paused, cancelled, failed',
    ],
    [`${workspace}campaigns: [{ name: a, channel: sms, variants: 0 }]`, /^campaigns\[0\].variants: /],
    [`${workspace}campaigns: [{ name: a, channel: sms }, { name: a, channel: sms }]`, 'campaigns[1] repeats "a"'],
    [`${workspace}features: [time_travel]`, 'features[0] must be embedded_forms'],
    [`${workspace}features: [embedded_forms, embedded_forms]`, 'features[1] repeats "embedded_forms"'],
    [
      `${workspace}formOrigins: ["https://a.example", shop.example]`,
      'formOrigins[1]: "shop.example" is no origin: write scheme, host and port alone, like https://shop.example',
    ],
    [`${workspace}formOrigins: ["https://a.example", "https://A.example/"]`, 'formOrigins[1] repeats "https://a.example"'],
    [`${workspace}forms: [{ id: footer }]`, 'forms[0].list is missing'],
    [`${workspace}forms: [{ id: a, list: VIP }, { id: a, list: VIP }]`, 'forms[1] repeats "a"'],
    [
      `${workspace}forms: [{ id: a, list: VIP, doubleOptIn: true, from: a@b.example }]`,
      'forms[0].template is missing: a form with doubleOptIn sends a mail',
    ],
    [`${workspace}forms: [{ id: a, list: VIP, from: a@b.example }]`, 'forms[0].from is only a field of a form with doubleOptIn'],
    [`${workspace}timezone: Narnia`, 'timezone: "Narnia" is no time zone: write a name of IANA, like Asia/Jerusalem'],
    [`${workspace}quietHours: { from: "21:00" }`, 'quietHours.to is missing'],
    [`${workspace}quietHours: { from: "9pm", to: "08:00" }`, /^quietHours.from must match /],
    [`${workspace}frequencyCap: { messages: 0, days: 7 }`, /^frequencyCap.messages: /],
    [flow('{ type: birthday }', '[]'), 'flows[0].trigger.type must be one of contact_created, list_joined, custom_event'],
    [flow('{ type: list_joined }', '[]'), 'flows[0].trigger.list is missing'],
    [flow('{ type: contact_created }', '[]'), 'flows[0].steps must have at least one step'],
    [flow('{ type: contact_created }', '[{ wait: { minutes: 525601 } }]'), /^flows\[0\].steps\[0\].wait.minutes must be a whole number/],
    [flow('{ type: contact_created }', '[{ wait: { minutes: 1, hours: 1 } }]'), 'flows[0].steps[0].wait.hours is not a field of a step'],
    [flow('{ type: contact_created }', '[{ wait: { minutes: 1 }, send: {} }]'), 'flows[0].steps[0] must be one step: it has wait and send'],
    [flow('{ type: contact_created }', '[{ jump: 1 }]'), 'flows[0].steps[0] must be a map with wait, send or branch'],
    [flow('{ type: contact_created }', '[{ send: { channel: fax } }]'), 'flows[0].steps[0].send.channel must be one of email, sms, push'],
    [
      flow('{ type: contact_created }', '[{ send: { channel: email, template: a } }]'),
      'flows[0].steps[0].send.from must be a text of 1 to 320 characters',
    ],
    [
      flow('{ type: contact_created }', '[{ branch: { rule: { all: [] }, then: [] } }]'),
      'flows[0].steps[0].branch.rule.all must be a list with at least one condition',
    ],
    [flow('{ type: contact_created }', nested(6)), /is too deep: branches stand in at most 4 others$/],
    [
      flow('{ type: contact_created }', `[${Array.from({ length: 101 }, () => '{ wait: { minutes: 1 } }').join(', ')}]`),
      /^flows\[0\].steps: /,
    ],
    [`${workspace}nonsense: 1`, 'nonsense is not a field of the workspace file'],
    ['- a', 'the file must be a map with a workspace section'],
    ['workspace: {', /^the file is not valid YAML: .* at line 1, column 13$/],
    [`${workspace}tags: [{ name: a,\n  name: b }]`, /^the file is not valid YAML: Map keys must be unique at line \d+, column 3$/],
    [`${workspace}workspace: { slug: acme }`, /^the file is not valid YAML: Map keys must be unique at line \d+, column 1$/],
  ])('with a mistake (%j) is refused in one sentence that names the field', (source, sentence) => {
    expect(() => parseWorkspaceFile(source)).toThrow(sentence)
  })
})

describe('a merge tag that can never resolve', () => {
  it.each([
    ['email, subject: "Hi {{}}", html: x', 'subject: "{{}}"'],
    ['email, subject: Hi, html: "<p>{{firstName}</p>"', 'html: "{{firstName}</p>"'],
    ['email, subject: Hi, html: "{{ {{firstName}} }}"', 'html: "{{ "'],
    ['email, subject: Hi, html: x, text: "{{first\\nName}}"', 'text: "{{first\nName}}"'],
    ['sms, body: "{{|there}}"', 'body: "{{|there}}"'],
    ['push, push: { title: "{{ ", body: x }', 'push.title: "{{ "'],
    ['email, subject: Hi, html: "<p>{{#if vip}}Yes{{/if}}</p>"', 'html: "{{#if vip}}"'],
    ['email, subject: "Hi {{/if}}", html: x', 'subject: "{{/if}}"'],
    ['email, subject: Hi, html: "<p>{{ #each orders }}x</p>"', 'html: "{{#each orders}}"'],
    ['sms, body: "{{^vip}}Hi"', 'body: "{{^vip}}"'],
    ['email, subject: Hi, html: x, text: "{{> footer}}"', 'text: "{{> footer}}"'],
    ['email, subject: Hi, html: x, text: "{% if vip %}Hi{% endif %}"', 'text: "{% if vip %}Hi{% endif %}"'],
  ])('is refused: channel: %s', (template, where) => {
    expect(() => parseWorkspaceFile(`${workspace}templates: [{ name: a, channel: ${template} }]`)).toThrow(
      `templates[0].${where} is no merge tag and would be sent as it is: write {{key}} or {{key|fallback}} on one line`,
    )
  })
})

describe('a file that requires confirmations', () => {
  const shop = `${workspace}senderAddresses: [{ email: hello@acme.example }]
lists: [{ name: VIP, type: static }]
forms: [{ id: footer, list: VIP }]
doubleOptIn: required`

  it('has a mail of its own that asks, where no form has one', () => {
    const { forms, templates } = parseWorkspaceFile(shop)
    expect(forms).toEqual([expect.objectContaining({ id: 'footer', doubleOptIn: true, from: 'hello@acme.example' })])
    expect(templates).toEqual([expect.objectContaining({ name: forms?.[0]?.template, html: expect.stringContaining('{{confirmUrl}}') })])
  })

  it('keeps the mail of the form that asks, and needs a form and an address to send from', () => {
    const own = shop.replace('list: VIP }', 'list: VIP, doubleOptIn: true, template: mine, from: hello@acme.example }')
    expect(parseWorkspaceFile(own).templates).toBeUndefined()
    const without = [shop.replace(/^forms.*$/m, ''), shop.replace(/^senderAddresses.*$/m, '')]
    for (const file of without) expect(() => parseWorkspaceFile(file)).toThrow('doubleOptIn: required needs a form')
  })
})
