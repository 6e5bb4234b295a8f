import { createEventLog, memoryKeyRing, upcasters, uuidv7 } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import { workspaceIdOf } from '@tidings/directory'
import { eventDeclarations, type Refused, workspace, workspaceStream } from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { applyWorkspaceFile } from '../src/apply.ts'
import { createProvisioner } from '../src/provisioner.ts'
import { createTrial } from '../src/trial.ts'
import { parseWorkspaceFile } from '../src/workspace-file/parse.ts'
import { textOfFile } from '../src/workspace-file/text.ts'
import { type RecordIds, writeWorkspaceFile } from '../src/write-file.ts'

const WORKSPACE = workspaceIdOf('acme')
const RULE = {
  all: [{ field: 'firstName', op: 'eq', value: 'Ada' }, { any: [{ field: 'email', op: 'contains', value: '@acme.example' }] }],
}
const SEND = { channel: 'email', template: 'mail', from: 'hello@acme.example' }

/** As a literal it would look like that of a promise. */
const THEN = 'then'

/** Every section that a file may be written with, and the words of people who break YAML. */
const FILE = {
  workspace: { slug: 'acme', name: 'Acme: "yes" #1 \u202eabc', plan: 'pro' },
  ...{ country: 'IL', timezone: 'Asia/Jerusalem', tracking: true },
  ...{ quietHours: { from: '21:00', to: '08:00' }, frequencyCap: { messages: 3, days: 7 } },
  ...{ features: ['embedded_forms'], formOrigins: ['https://shop.acme.example'] },
  smsReplies: { stop: '- Stopped:\n\n  "you" ', help: '~ no: yes' },
  stopWords: ['no', '123'],
  customFields: [
    { key: 'null', label: '~', kind: 'text' },
    { key: 'size', label: 'גודל', kind: 'select', options: [{ label: '1e3', value: '0x1f' }] },
  ],
  senderDomains: [{ domain: 'acme.example', verified: true, blocklisted: false }, { domain: 'b.example' }],
  senderAddresses: [{ email: 'hello@acme.example', name: 'Acme', verified: true }, { email: 'second@acme.example' }],
  smsSenderIds: [{ id: 'ACME', number: '+972501110000', status: 'approved' }, { id: '12345' }, { id: 'Gone', status: 'rejected' }],
  templates: [
    {
      name: 'mail',
      fromName: 'Shop',
      channel: 'email',
      subject: 'Hi',
      html: '<p>Hi\r\n\t{{firstName|you}} </p>\n\n',
      text: '  Hi\n---\n...\n',
    },
    { name: 'true', channel: 'sms', body: ' 012 ', archived: true },
    { name: 'push', channel: 'push', push: { title: 'T', body: 'B', url: 'https://a.example' } },
    { name: 'confirm', channel: 'email', subject: '', html: '<a href="{{confirmUrl}}">Confirm</a>' },
  ],
  lists: [
    { name: 'Named', type: 'static' },
    { name: 'Ruled', type: 'dynamic', rule: RULE },
  ],
  tags: [{ name: 'spring', color: 'accent' }, { name: 'plain' }],
  campaigns: [
    { name: 'Sale', channel: 'email', tags: ['spring'], list: 'Named', template: 'mail', from: 'hello@acme.example', quietHours: 'skip' },
    {
      name: 'Split',
      channel: 'email',
      variants: [
        { template: 'mail', weight: 2 },
        { template: 'confirm', weight: 1 },
      ],
      archived: true,
    },
    { name: 'Old', channel: 'sms', status: 'cancelled', template: 'true', from: 'ACME', variants: 3 },
  ],
  customEvents: [{ name: 'bought', label: 'Bought', properties: ['id'], retired: true }],
  forms: [
    { id: 'footer', list: 'Named', doubleOptIn: true, template: 'confirm', from: 'hello@acme.example' },
    { id: 'old', list: 'Named', archived: true },
  ],
  flows: [
    {
      name: 'Hello',
      trigger: { type: 'list_joined', list: 'Named' },
      steps: [
        { wait: { minutes: 5 } },
        { branch: { rule: RULE, [THEN]: [{ send: SEND }], else: [{ send: { channel: 'push', template: 'push' } }] } },
      ],
    },
    {
      name: 'Later',
      trigger: { type: 'custom_event', event: 'bought' },
      steps: [{ send: { ...SEND, channel: 'sms', template: 'true', from: 'ACME' } }],
      retired: true,
    },
  ],
}

const installation = () => {
  const log = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing: memoryKeyRing() })
  const commands = createCommandRunner({ log })
  const to = createProvisioner(commands)
  const events = async () => (await log.readAll('start', 10_000)).events
  /** As the read models have them. */
  const ids = async (): Promise<RecordIds> => {
    const found = { templates: [], lists: [], campaigns: [], customFields: [], customEvents: [] } as Record<keyof RecordIds, unknown[]>
    for (const { type, data } of await events()) {
      const made = data as Readonly<Record<string, string>>
      if (type === 'TemplateCreated') found.templates.push(made.templateId)
      if (type === 'ListCreated') found.lists.push(made.listId)
      if (type === 'CampaignCreated') found.campaigns.push({ id: made.campaignId, name: made.name })
      if (type === 'CustomFieldConfigured') found.customFields.push(made.fieldId)
      if (type === 'CustomEventDeclared') found.customEvents.push(made.eventId)
    }
    return found as RecordIds
  }
  return {
    to,
    commands,
    events,
    apply: (file: unknown) => applyWorkspaceFile(to, parseWorkspaceFile(JSON.stringify(file))),
    written: async () => await textOfFile(await writeWorkspaceFile({ load: to.load, workspaceId: WORKSPACE, ids: await ids() })),
  }
}

describe('the file that is written of a workspace', () => {
  it('changes nothing in it, and makes the same in an empty one', async () => {
    const one = installation()
    await one.apply(FILE)
    const text = await one.written()
    const before = (await one.events()).length
    expect((await applyWorkspaceFile(one.to, parseWorkspaceFile(text))).changes).toEqual([])
    expect(await one.events()).toHaveLength(before)

    const other = installation()
    await applyWorkspaceFile(other.to, parseWorkspaceFile(text))
    expect(await other.written()).toBe(text)
    // It says all that the first file said, whose texts are as they were.
    expect(parseWorkspaceFile(text)).toEqual(parseWorkspaceFile(JSON.stringify(FILE)))
  })

  it('has no secret', async () => {
    const { apply, written } = installation()
    await apply({
      workspace: { slug: 'acme', name: 'Acme' },
      apiKeys: [{ name: 'server' }],
      connectors: [{ name: 'shop', secret: 'secret-of-the-shop' }],
    })
    expect(await written()).toBe('workspace:\n  slug: acme\n  name: Acme\n  plan: free\ncountry: IL\ntimezone: UTC\ntracking: false\n')
  })

  it('lets others come in between the records of a large one, and is the same text', async () => {
    const html = 'שלום\n'.repeat(50_000)
    const templates = Array.from({ length: 8 }, (_, n) => ({ name: `mail ${n}`, channel: 'email' as const, subject: '', html }))
    const file = { workspace: { slug: 'acme', name: 'Acme' }, features: [], tags: [{ name: 'spring' }, { name: 'late' }], templates }
    let others = 0
    const coming = setInterval(() => others++, 1)
    const text = await textOfFile(file)
    clearInterval(coming)
    expect(others).toBeGreaterThan(0)
    expect(text).toBe(stringify(file, { lineWidth: 0, aliasDuplicateObjects: false }))
  })

  it('is read back as it was, whatever people call things', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 40 }).filter((written) => !written.includes('{{'))
    const texts = fc.array(fc.record({ subject: text, html: text, text }), { minLength: 40, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(texts, async (all) => {
        const templates = all.map((one, n) => ({ name: `mail ${n}`, channel: 'email' as const, ...one }))
        const file = { workspace: { slug: 'acme', name: 'Acme' }, templates }
        expect(parseWorkspaceFile(await textOfFile(file))).toEqual(file)
      }),
      { numRuns: 5 },
    )
  })
})

describe('a trial of a file', () => {
  it('says what applying it would do, writes nothing, and its commands then do it', async () => {
    const [tried, applied] = [installation(), installation()]
    const trial = createTrial(tried.to)
    const { changes } = await applyWorkspaceFile(trial.to, parseWorkspaceFile(JSON.stringify(FILE)))
    expect(await tried.events()).toEqual([])
    expect(changes).toEqual((await applied.apply(FILE)).changes)
    expect(trial.planned().flatMap(({ events }) => events)).toHaveLength(changes.length)

    const context = () => ({ commandId: uuidv7(), actor: 'user:1', requestId: 'r', at: '2026-01-01T00:00:00.000Z' })
    for (const command of trial.planned()) expect(await command.run(tried.commands, context())).not.toBeNull()
    expect(await tried.written()).toBe(await applied.written())
    for (const command of trial.planned())
      await expect(command.run(tried.commands, context())).rejects.toMatchObject({ code: 'changed_meanwhile' })
  })

  it('has its commands in the order of the file, whichever stream is read first', async () => {
    const { to } = installation()
    const customFields = Array.from({ length: 20 }, (_, n) => ({ key: `field-${n}`, label: 'Field', kind: 'text' as const }))
    let reading = 0
    const trial = createTrial({
      ...to,
      // The later a read begins, the sooner it ends.
      load: async (...asked) => {
        const state = await to.load(...asked)
        for (let ticks = 100 - 4 * reading++; ticks > 0; ticks--) await Promise.resolve()
        return state
      },
    })
    await applyWorkspaceFile(trial.to, { workspace: { slug: 'acme', name: 'Acme' }, customFields })
    const keys = trial.planned().flatMap(({ events }) => events.map(({ data }) => (data as Readonly<{ key?: string }>).key ?? []))
    expect(keys.flat()).toEqual(customFields.map(({ key }) => key))
  })

  it('is carried out beside what is written of other records of the workspace, and not over what is written of its own', async () => {
    const { to, commands } = installation()
    const file = (more: object) => parseWorkspaceFile(JSON.stringify({ workspace: { slug: 'acme', name: 'Acme' }, ...more }))
    const known = { senderAddresses: [{ email: 'a@acme.example' }] }
    await applyWorkspaceFile(to, file(known))
    const { senderAddresses } = await to.load(WORKSPACE, workspace, workspaceStream(WORKSPACE))
    const [asked] = Object.values(senderAddresses)
    const trial = createTrial(to)
    await applyWorkspaceFile(
      trial.to,
      file({ country: 'FR', senderAddresses: [{ email: 'a@acme.example', name: 'A' }, { email: 'b@acme.example' }] }),
    )
    const sent = { addressId: asked?.addressId ?? '', confirmationId: asked?.confirmation?.confirmationId ?? '' }
    await to.execute(WORKSPACE, workspace, workspaceStream(WORKSPACE), { type: 'RecordConfirmationSent', data: sent })
    const context = () => ({ commandId: uuidv7(), actor: 'user:1', requestId: 'r', at: '2026-01-01T00:00:00.000Z' })
    const ran = []
    for (const { run } of trial.planned())
      ran.push(
        await run(commands, context()).then(
          () => 'ran',
          (error: unknown) => (error as Refused).code,
        ),
      )
    expect(ran).toEqual(['ran', 'changed_meanwhile', 'ran'])
  })
})
