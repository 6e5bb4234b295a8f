import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataOf } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { type Installation, install } from './support/installation.ts'
import { runTidings, type ServiceProcess } from './support/service-process.ts'

// A person on the command line (M65).

let database: TestDatabase
let installation: Installation
let service: ServiceProcess
let acme: Client
let folder: string
let campaignId: string
let flowId: string
let eve: string

const FLOW = `
workspace: { slug: acme, name: Acme }
senderAddresses: [{ email: hello@acme.example, name: Hello, verified: true }]
templates: [{ name: welcome, channel: email, subject: "Hi {{firstName|you}}", html: "<p>Hi</p>" }]
lists: [{ name: VIP, type: static }]
campaigns: [{ name: Sale, channel: email, status: draft, list: VIP, template: welcome, from: hello@acme.example }]
flows: [{ name: Late, trigger: { type: custom_event, event: late }, steps: [{ wait: { minutes: 5 } }] }]
customEvents: [{ name: late, label: Late, properties: [] }]
`

beforeAll(async () => {
  ;[database, folder] = await Promise.all([testDatabase(), mkdtemp(join(tmpdir(), 'naming-people-'))])
  installation = await install(database.url)
  service = await installation.start()
  acme = await installation.workspace('acme')
  await installation.workspace('other')
  const applied = (await installation.tidings(['apply', '-f', '-'], FLOW)) as Readonly<{
    campaigns: Record<string, string>
    flows: Record<string, string>
  }>
  campaignId = applied.campaigns.Sale ?? ''
  flowId = applied.flows.Late ?? ''
  const body = {
    email: 'eve@exämple.test',
    phone: '+972501112233',
    firstName: 'Eve',
    emailConsent: 'subscribed',
    emailConsentSource: 'till',
  }
  eve = dataOf<Readonly<{ id: string }>>(await acme.request('POST', '/public/profiles', body), 201).id
})
afterAll(async () => {
  await service?.end('SIGTERM')
  await installation?.close()
  await database?.drop()
  await rm(folder, { recursive: true, force: true })
})

const ofAcme = (...args: readonly string[]): readonly string[] => [...args, '--workspace', 'acme']
const contactIn = (answer: unknown): unknown => (answer as Readonly<{ contactId: unknown }>).contactId

describe('a contact', () => {
  it.each(['EVE@xn--exmple-cua.test', '050-111 2233'])('is found by %j, as by its id', async (name) => {
    const found = await installation.tidings(ofAcme('contact', 'find', name))
    expect(found).toMatchObject({
      id: eve,
      email: 'eve@exämple.test',
      phone: '+972501112233',
      firstName: 'Eve',
      emailConsent: 'subscribed',
    })
    expect(await installation.tidings(ofAcme('contact', 'find', eve.toUpperCase()))).toEqual(found)
  })

  it('is named so by every command that takes one', async () => {
    expect(contactIn(await installation.tidings(ofAcme('consent', 'show', '--id', 'eve@exämple.test')))).toBe(eve)
    expect(contactIn(await installation.tidings(ofAcme('consent', 'show', '--id', '0501112233')))).toBe(eve)
    expect(
      await installation.tidings(ofAcme('consent', 'export', '--id', 'eve@exämple.test', '--out', join(folder, 'proof'))),
    ).toMatchObject({
      contacts: 1,
    })
    expect(await installation.tidings(ofAcme('contact', 'export', '--id', '050-1112233', '--out', join(folder, 'person')))).toMatchObject({
      id: eve,
    })
    const copy = ofAcme('campaign', 'preview', '--id', campaignId, '--contact', '050-1112233')
    expect(await installation.tidings(copy)).toMatchObject({ contactId: eve, to: 'eve@exämple.test' })
    const sent = ofAcme('campaign', 'test', '--id', campaignId, '--to', 'me@acme.example', '--contact', 'eve@exämple.test')
    expect(await installation.tidings(sent)).toMatchObject({ to: 'me@acme.example' })
    const outbox = `http://127.0.0.1:${installation.env.PORT}/dev/outbox?channel=email&to=me@acme.example`
    const subjects = async (): Promise<readonly string[]> => {
      const { items } = (await (await fetch(outbox)).json()) as Readonly<{ items: readonly Readonly<{ subject: string }>[] }>
      return items.map(({ subject }) => subject)
    }
    expect(await eventually(subjects, (all) => all.length > 0)).toEqual(['[Test] Hi Eve'])
    expect(await installation.tidings(ofAcme('flow', 'show', '--id', flowId, '--contact', '+972 50 1112233'))).toEqual({ items: [] })
    const tried = (await installation.tidings(['flow', 'try', '-f', '-', '--contact', 'EVE@exämple.test'], FLOW)) as Readonly<{
      items: unknown[]
    }>
    expect(tried.items).toHaveLength(1)
  })

  it('that does not exist is one sentence, after a look-up by the right kind', async () => {
    const find = (name: string) => [name, ofAcme('contact', 'find', name)] as const
    const another = (kind: string) => ` today: a person who has another ${kind} by now is named by it, or by the id`
    for (const [[name, command], hint] of [
      [find('adam@people.example'), another('email')],
      [find('052-9999999'), another('phone')],
      [find('0192b1f0-0000-7000-8000-00000000ffff'), ''],
      [['+972529999999', ofAcme('contact', 'erase', '--id', '+972529999999')], another('phone')],
    ] as const)
      expect(await runTidings(command, installation.env)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: `Workspace acme has no contact ${name}${hint}.\n`,
      })
  })

  it('of another workspace is none of this', async () => {
    const found = await runTidings(['contact', 'find', 'eve@exämple.test', '--workspace', 'other'], installation.env)
    expect(found).toMatchObject({ code: 1, stdout: '' })
    expect(found.stderr).toContain('Workspace other has no contact eve@exämple.test today')
  })

  it('is not named by what is no UUID, email or phone: that is wrong usage', async () => {
    expect(await runTidings(ofAcme('contact', 'find', 'eve@'), installation.env)).toMatchObject({ code: 2, stdout: '' })
    const others = [
      ofAcme('consent', 'show', '--id', 'eve'),
      ofAcme('consent', 'export', '--id', 'eve', '--out', join(folder, 'none')),
      ofAcme('contact', 'erase', '--id', 'eve'),
      ofAcme('contact', 'export', '--id', 'eve', '--out', join(folder, 'none')),
      ofAcme('campaign', 'preview', '--id', campaignId, '--contact', 'eve'),
      ofAcme('campaign', 'test', '--id', campaignId, '--to', 'me@acme.example', '--contact', 'eve'),
      ofAcme('flow', 'show', '--id', flowId, '--contact', 'eve'),
    ]
    for (const command of others)
      expect(await runTidings(command, installation.env), command.join(' ')).toMatchObject({ code: 2, stdout: '' })
    // Digits that are no phone where the workspace is.
    expect(await runTidings(ofAcme('contact', 'find', '111222333'), installation.env)).toMatchObject({ code: 2, stdout: '' })
  })

  it('that has another address now is found by that one alone; erased, by none', async () => {
    await acme.request('PATCH', `/public/profiles/${eve}`, { email: 'eva@people.example' })
    expect(await installation.tidings(ofAcme('contact', 'find', 'eva@people.example'))).toMatchObject({ id: eve })
    expect(await runTidings(ofAcme('contact', 'find', 'eve@exämple.test'), installation.env)).toMatchObject({ code: 1 })
    expect(await installation.tidings(ofAcme('contact', 'erase', '--id', '050-111-2233'))).toMatchObject({ id: eve })
    for (const name of ['eva@people.example', '+972501112233', eve])
      expect(await runTidings(ofAcme('consent', 'show', '--id', name), installation.env)).toMatchObject({ code: 1, stdout: '' })
  })
})
