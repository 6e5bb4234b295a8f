import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dataOf } from './support/answers.ts'
import { type Client, clientOf } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { type Installation, install } from './support/installation.ts'
import { runTidings, type ServiceProcess } from './support/service-process.ts'

let database: TestDatabase
let installation: Installation
let service: ServiceProcess
let acme: Client
let flowId: string

const FILE = `workspace: { slug: acme, name: Acme }
apiKeys: [{ name: test }]
senderDomains: [{ domain: acme.example, verified: true }]
senderAddresses: [{ email: hello@acme.example, name: Hello, verified: true }]
smsSenderIds: [{ id: ACME, status: approved }]
templates:
  - { name: thanks, channel: email, subject: "Thanks {{firstName}}", html: "<p>Hi</p>" }
  - { name: short, channel: sms, body: "Thanks {{firstName}}" }
flows:
  - name: After order
    trigger: { type: custom_event, event: order_placed }
    steps:
      - wait: { minutes: 60 }
      - branch:
          rule: { field: tags, op: contains, value: vip }
          then: [ { send: { channel: email, template: thanks, from: hello@acme.example } } ]
          else: [ { wait: { minutes: 1440 } } ]
`

beforeAll(async () => {
  database = await testDatabase()
  installation = await install(database.url)
  service = await installation.start()
  const applied = (await installation.tidings(['apply', '-f', '-'], FILE)) as Client['applied']
  acme = clientOf({ url: `http://127.0.0.1:${installation.env.PORT}`, applied, shown: installation.shown })
  flowId = applied.flows['After order'] ?? ''
})
afterAll(async () => {
  await service?.end('SIGTERM')
  await installation?.close()
  await database?.drop()
})

const flow = (...args: readonly string[]) => installation.tidings(['flow', ...args, '--workspace', 'acme'])
const listed = async () => ((await flow('list')) as { items: Readonly<Record<string, unknown>>[] }).items

describe('the flow commands', () => {
  it('list flows with their runs, and show one by its steps and by a contact', async () => {
    expect(await listed()).toEqual([{ id: flowId, name: 'After order', status: 'active', version: 1, inside: 0, finished: 0 }])
    const person = { email: 'ann@acme.example', emailConsent: 'subscribed', firstName: 'Ann', tags: ['vip'] }
    const { id } = dataOf<{ id: string }>(await acme.request('POST', '/public/profiles', person), 201)
    expect(dataOf(await acme.request('POST', '/events/ingest', { event: 'order_placed', contactId: id }), 200)).toMatchObject({
      enrolled: 1,
    })
    await eventually(listed, ([one]) => one?.inside === 1)
    expect(
      await eventually(
        () => flow('show', '--id', flowId) as Promise<{ steps: { inside: number }[] }>,
        ({ steps }) => steps[1]?.inside === 1,
      ),
    ).toMatchObject({
      name: 'After order',
      trigger: { type: 'custom_event', event: 'order_placed' },
      steps: [
        { step: 'steps[0]', does: 'wait 60 minutes', inside: 0 },
        { step: 'steps[1]', does: 'branch', inside: 1 },
        { step: 'steps[1].then[0]', inside: 0 },
        { step: 'steps[1].else[0]', inside: 0 },
      ],
    })
    const shown = (await flow('show', '--id', flowId, '--contact', id)) as { items: { steps: { causedBy: string | null }[] }[] }
    expect(shown.items).toMatchObject([
      {
        version: 1,
        endedAt: null,
        steps: [
          { type: 'ContactEnteredFlow', says: 'entered by ActivityRecorded' },
          { type: 'FlowWaitBegun', step: 0 },
        ],
      },
    ])
    for (const { causedBy } of shown.items[0]?.steps ?? []) expect(causedBy).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('pause a flow, which lets no contact in, and resume it', async () => {
    expect(await flow('pause', '--id', flowId)).toMatchObject({ status: 'paused' })
    const body = { event: 'order_placed', email: 'bob@acme.example' }
    expect(dataOf(await acme.request('POST', '/events/ingest', body), 200)).toMatchObject({ enrolled: 0, created: true })
    expect(await flow('resume', '--id', flowId)).toMatchObject({ status: 'active' })
    const again = { event: 'order_placed', email: 'cleo@acme.example' }
    expect(dataOf(await acme.request('POST', '/events/ingest', again), 200)).toMatchObject({ enrolled: 1 })
  })

  it('try a file without sending', async () => {
    const { id } = dataOf<{ id: string }>(
      await acme.request('POST', '/public/profiles', { email: 'dora@acme.example', tags: ['vip'] }),
      201,
    )
    const tried = () => installation.tidings(['flow', 'try', '-f', '-', '--contact', id], FILE)
    expect(await tried()).toMatchObject({
      items: [
        {
          flow: 'After order',
          steps: [{ says: 'waits 60 minutes' }, { says: 'the rule holds: then' }, { says: 'no mail: skipped, no_consent' }],
          ends: 'no_consent',
        },
      ],
    })
    await acme.request('PATCH', `/public/profiles/${id}`, { emailConsent: 'subscribed', firstName: 'Dora' })
    expect(await tried()).toMatchObject({
      items: [{ steps: [{}, {}, { says: 'mails "Thanks Dora" to dora@acme.example from hello@acme.example' }], ends: 'finished' }],
    })
    expect((await installation.pool.query('select from outbox.message')).rowCount).toBe(0)
  })

  it('try a text, for one under an approved sender ID only', async () => {
    const text = (from: string): string =>
      FILE.replace('channel: email, template: thanks, from: hello@acme.example', `channel: sms, template: short, from: ${from}`)
    const fields = { phone: '+972541234567', smsConsent: 'subscribed', firstName: 'Eve', tags: ['vip'] }
    const { id } = dataOf<{ id: string }>(await acme.request('POST', '/public/profiles', fields), 201)
    const tried = (file: string) => runTidings(['flow', 'try', '-f', '-', '--contact', id, '--json'], installation.env, file)
    expect(JSON.parse((await tried(text('acme'))).stdout)).toMatchObject({
      items: [{ steps: [{}, {}, { says: 'texts "Thanks Eve", 1 credit, to +972541234567 from ACME' }], ends: 'finished' }],
    })
    const path = 'flows[0].steps[1].branch.then[0].send.from'
    expect((await tried(text('OTHER'))).stderr).toContain(`${path}: there is no SMS sender ID "OTHER"`)
    const pending = text('OTHER').replace('{ id: ACME', '{ id: other, status: pending }, { id: ACME')
    expect((await tried(pending)).stderr).toContain(`${path}: the SMS sender ID "OTHER" is not approved`)
  })

  it('refuse what is not there in one sentence', async () => {
    const unknown = crypto.randomUUID()
    const asked = await runTidings(['flow', 'pause', '--workspace', 'acme', '--id', unknown], installation.env)
    expect(asked).toMatchObject({ code: 1, stdout: '', stderr: `Workspace acme has no flow ${unknown}.\n` })
    const tried = await runTidings(['flow', 'try', '-f', '-', '--contact', unknown], installation.env, FILE)
    expect(tried).toMatchObject({ code: 1, stderr: `Workspace acme has no contact ${unknown}.\n` })
  })
})
