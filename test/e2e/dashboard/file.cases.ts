import type { AppliedFile, AuditEntryPage, FileDifference, WorkspaceFileText } from '@tidings/contracts'
import { beforeAll, describe, expect, it } from 'vitest'
import { coded, dataOf, outcome } from '../support/answers.ts'
import type { Client } from '../support/client.ts'
import { eventsOfWorkspace } from '../support/stored-log.ts'
import type { Session } from '../support/users.ts'
import type { World } from '../support/world.ts'

type Doors = Readonly<{ world: World; signedIn: (client: Client, email: string) => Promise<Session> }>

const FILE = `users:
  - { email: owner@file.example, password: correct horse battery, role: owner }
  - { email: second@file.example, password: correct horse battery, role: owner }
  - { email: admin@file.example, password: correct horse battery, role: admin }
country: IL
credits: 10
connectors: [{ name: shop, secret: secret-of-the-shop }]
smsSenderIds: [{ id: Filed, status: approved, number: "+972501119900" }]
templates: [{ name: welcome, channel: email, subject: Hi, html: "<p>שלום</p>" }]
lists: [{ name: VIP, type: static }]
campaigns: [{ name: Spring, channel: email, list: VIP, template: welcome }]`

/** What an owner does with the workspace as a file. */
export function fileCases(doors: () => Doors): void {
  describe('the workspace as a file', () => {
    let owner: Session
    let second: Session
    let admin: Session
    let workspaceId: string
    beforeAll(async () => {
      const { world, signedIn } = doors()
      const client = await world.workspace('file', FILE)
      await world.workspace('file-2', 'smsSenderIds: [{ id: Other, number: "+972501119911" }]')
      workspaceId = client.applied.workspace.id
      owner = await signedIn(client, 'owner@file.example')
      second = await signedIn(client, 'second@file.example')
      admin = await signedIn(client, 'admin@file.example')
    })
    const present = async () => dataOf<WorkspaceFileText>(await owner.call('GET /dashboard/workspace-file'), 200).text
    const ask = (text: string, by = owner) => by.call('POST /dashboard/workspace-file/difference', { body: { text } })
    const difference = async (text: string) => dataOf<FileDifference>(await ask(text), 200)
    const apply = (text: string, etag: string, headers: Readonly<Record<string, string>> = {}) =>
      owner.call('POST /dashboard/workspace-file/apply', { body: { text }, headers: { ...headers, 'If-Match': `"${etag}"` } })
    const fileWith = (more: string) => `workspace: { slug: file, name: Filed }\n${more}`
    const events = async () => (await eventsOfWorkspace(doors().world.stores.store, workspaceId)).length

    it('has nothing secret, and changes nothing where it is from', async () => {
      const text = await present()
      expect(text).toContain('name: welcome')
      expect(text).toContain('number: "+972501119900"')
      expect(text).not.toMatch(/secret-of-the-shop|password|sk_evt_|@file\.example.*role/)
      expect(await difference(text)).toMatchObject({ changes: [], commands: 0 })
      const download = await fetch(`${doors().world.url}/api/v1/dashboard/workspace-file/download`, {
        headers: { Authorization: `Bearer ${owner.token}` },
      })
      expect([download.headers.get('content-disposition'), await download.text()]).toEqual(['attachment; filename="file.yaml"', text])
      for (const route of ['GET /dashboard/workspace-file', 'GET /dashboard/workspace-file/download'])
        expect((await admin.call(route)).body.code).toBe('owner_required')
      expect(outcome(await ask(text, admin))).toEqual(coded(403, 'owner_required'))
    })

    it('is changed as the difference says, by the owner, once for a press', async () => {
      const text = (await present()).replace('subject: Hi', 'subject: Hello')
      const before = await events()
      const { changes, commands, etag } = await difference(text)
      expect([changes, commands, await events()]).toEqual([['changed a template: welcome'], 1, before])
      const press = { 'Idempotency-Key': 'one press of a file' }
      const applied = await apply(text, etag, press)
      expect(dataOf<AppliedFile>(applied, 200)).toEqual({ done: 1, left: 0, etag: null })
      expect(dataOf<AppliedFile>(await apply(text, etag, press), 200)).toEqual({ done: 1, left: 0, etag: null })
      expect(outcome(await apply(text, etag))).toEqual(coded(409, 'changed_meanwhile'))
      expect(await events()).toBe(before + 1)
      expect(await difference(text)).toMatchObject({ changes: [], commands: 0 })
      await doors().world.settle()
      const { items } = dataOf<AuditEntryPage>(await owner.call('GET /dashboard/audit'), 200)
      expect(items[0]).toMatchObject({ what: 'TemplateContentChanged', by: 'owner@file.example' })
    })

    it('is not applied over what somebody else has changed meanwhile', async () => {
      const text = fileWith('lists: [{ name: VIP, type: static }]\ntimezone: Europe/Berlin\n')
      const { etag } = await difference(text)
      const settings = dataOf<Readonly<{ marketing: Readonly<{ etag: string }> }>>(await second.call('GET /dashboard/workspace'), 200)
      const theirs = await second.call('PUT /dashboard/workspace/marketing', {
        body: { timezone: 'Europe/Paris', quietHours: null, frequencyCap: null },
        headers: { 'If-Match': `"${settings.marketing.etag}"` },
      })
      expect(theirs.status).toBe(200)
      const before = await events()
      expect(outcome(await apply(text, etag))).toEqual(coded(409, 'changed_meanwhile'))
      expect(await events()).toBe(before)
      const now = await difference(text)
      expect(now.changes).toEqual(['changed the settings: file', 'changed the rules of marketing messages: timezone'])
      expect(dataOf<AppliedFile>(await apply(text, now.etag), 200)).toMatchObject({ done: 2, left: 0 })
    })

    it('is applied a hundred commands at a time', async () => {
      const many = (section: string, count: number, record: (n: number) => string) =>
        `${section}: [${Array.from({ length: count }, (_, n) => record(n)).join(', ')}]`
      const text = fileWith(
        [
          // Each plan makes tokens and ids of its own for these.
          many('senderDomains', 20, (n) => `{ domain: d${n}.file.example }`),
          many('senderAddresses', 20, (n) => `{ email: a${n}@d${n}.file.example }`),
          many('customFields', 30, (n) => `{ key: field-${n}, label: Field, kind: text }`),
          many('customEvents', 30, (n) => `{ name: event-${n} }`),
          many('templates', 30, (n) => `{ name: part ${n}, channel: sms, body: Hi }`),
          many('flows', 20, (n) => `{ name: f${n}, trigger: { type: contact_created }, steps: [{ wait: { minutes: 1 } }] }`),
        ].join('\n'),
      )
      const asked = await difference(text)
      expect([asked.commands, (await difference(text)).etag]).toEqual([150, asked.etag])
      const first = dataOf<AppliedFile>(await apply(text, asked.etag), 200)
      expect(first).toMatchObject({ done: 100, left: 50 })
      expect(dataOf<AppliedFile>(await apply(text, first.etag ?? ''), 200)).toEqual({ done: 50, left: 0, etag: null })
      expect(await difference(text)).toMatchObject({ changes: [], commands: 0 })
    })

    it('is not another file that would change the same, and no part of it is applied over what somebody else has changed', async () => {
      const named = (label: string) =>
        fileWith(`customFields: [${Array.from({ length: 110 }, (_, n) => `{ key: later-${n}, label: ${label}, kind: text }`).join(', ')}]`)
      const { etag } = await difference(named('Shown'))
      expect(outcome(await apply(named('Hidden'), etag))).toEqual(coded(409, 'changed_meanwhile'))
      const first = dataOf<AppliedFile>(await apply(named('Shown'), etag), 200)
      const body = { key: 'later-105', label: 'Theirs', kind: 'text', options: [] }
      expect((await second.call('POST /dashboard/custom-fields', { body })).status).toBe(201)
      expect(outcome(await apply(named('Shown'), first.etag ?? ''))).toEqual(coded(409, 'changed_meanwhile'))
    })

    const REFUSED: readonly (readonly [string, string, RegExp])[] = [
      ['is no YAML', '{', /^the file is not valid YAML: /],
      ['is no map', '- a', /^the file must be a map/],
      ['nests too deep', '['.repeat(50_000), /^the file /],
      [
        'is of another workspace',
        'workspace: { slug: file-2, name: Theirs }',
        /^Line 1: workspace\.slug: the file is of another workspace than file$/,
      ],
      ['has users', fileWith('users: [{ email: a@b.example, password: correct horse battery, role: owner }]'), /^Line 2: users: /],
      ['asks for a key', fileWith('apiKeys: [{ name: another }]'), /^Line 2: apiKeys: /],
      ['misses a field', fileWith('templates:\n  - { name: x, channel: email }'), /^Line 3: templates\[0\]\.subject is missing$/],
      ['approves a sender ID', fileWith('smsSenderIds: [{ id: New, status: approved }]'), /^Line 2: smsSenderIds: only an operator/],
      ['takes a number', fileWith('smsSenderIds: [{ id: Filed, number: "+972501119922" }]'), /^Line 2: smsSenderIds: only an operator/],
      [
        'takes the number of another workspace',
        fileWith('smsSenderIds: [{ id: Filed, number: "+972501119911" }]'),
        /^Line 2: smsSenderIds\[0\]\.number: this number belongs to another sender$/,
      ],
      ['vouches for a domain', fileWith('senderDomains: [{ domain: new.example, verified: true }]'), /^Line 2: senderDomains: /],
      ['takes back a word', fileWith('senderAddresses: [{ email: hello@file.example }]'), /^Line 2: senderAddresses: /],
      [
        'adds an address whose domain is none of the workspace',
        fileWith('senderDomains: [{ domain: near.example }]\nsenderAddresses: [{ email: a@near.example }, { email: news@far.example }]'),
        /^Line 3: senderAddresses\[1\]\.email: the domain of news@far\.example is no sender domain of the workspace: add it first$/,
      ],
      ['changes the plan', 'workspace: { slug: file, name: Filed, plan: enterprise }', /^Line 1: workspace\.plan: only an operator/],
      [
        'names what is not there',
        fileWith('campaigns: [{ name: Spring, channel: email, list: Nowhere }]'),
        /^Line 2: campaigns\[0\]\.list: there is no list "Nowhere"/,
      ],
      [
        'has more senders than pages let people add',
        fileWith(`senderAddresses: [${Array.from({ length: 101 }, (_, n) => `{ email: s${n}@file.example }`).join(', ')}]`),
        /^Line 2: senderAddresses: a workspace has at most 100, and with the file it would have \d+$/,
      ],
      [
        'has more custom fields than pages let people make',
        fileWith(`customFields: [${Array.from({ length: 201 }, (_, n) => `{ key: over-${n}, label: Over, kind: text }`).join(', ')}]`),
        /^Line 2: customFields: a workspace has at most 200, and with the file it would have \d+$/,
      ],
      [
        'has more forms than pages let people make',
        fileWith(`forms: [${Array.from({ length: 201 }, (_, n) => `{ id: form-${n}, list: VIP }`).join(', ')}]`),
        /^Line 2: forms: a workspace has at most 200, and with the file it would have 201$/,
      ],
      [
        'has too many records',
        fileWith(`customEvents: [${Array.from({ length: 2_001 }, (_, n) => `{ name: t${n} }`).join(', ')}]`),
        /^The file has more than 2000 records/,
      ],
    ]
    it.each(REFUSED)('is refused with a sentence where it %s, and nothing is written', async (_, text, sentence) => {
      const before = await events()
      const refused = await ask(text)
      expect([refused.status, refused.body.message]).toEqual([400, expect.stringMatching(sentence)])
      expect((await apply(text, '0'.repeat(64))).status).toBe(400)
      expect(await events()).toBe(before)
    })
  })
}
