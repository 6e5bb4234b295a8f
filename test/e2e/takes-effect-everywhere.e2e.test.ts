import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { outcome, uncoded } from './support/answers.ts'
import { type Client, clientOf } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { type Installation, install } from './support/installation.ts'
import { runTidings, type ServiceProcess } from './support/service-process.ts'
import { type Stack, startStack } from './support/stack.ts'
import { call, cookiesOf, signIn } from './support/users.ts'

let database: TestDatabase
let installation: Installation
let stack: Stack
/** Two that write and two that read, each with caches of its own. */
let apis: readonly ServiceProcess[]
beforeAll(async () => {
  database = await testDatabase()
  installation = await install(database.url)
  stack = await startStack(installation.env, [
    ['command-api'],
    ['command-api'],
    ['query-api'],
    ['query-api'],
    ['projectors'],
    ['consumers'],
  ])
  apis = stack.processes().slice(0, 4)
})
afterAll(async () => {
  await stack.stop()
  await installation.close()
  await database.drop()
})

const newWorkspace = async (slug: string): Promise<Client> =>
  clientOf({ url: stack.url, applied: (await installation.workspace(slug)).applied, shown: installation.shown })

/** One request that the process serves, whether it writes or reads. */
const ask = async ({ url }: ServiceProcess, { applied }: Client): Promise<ReturnType<typeof outcome>> => {
  const client = clientOf({ url, applied })
  const writes = apis.findIndex((api) => api.url === url) < 2
  return outcome(
    writes
      ? await client.request('POST', '/public/profiles', { email: `${crypto.randomUUID()}@example.com` })
      : await client.request('GET', '/public/profiles?limit=1'),
  )
}
const askAll = (client: Client) => Promise.all(apis.map((api) => ask(api, client)))
const fill = <T>(value: T): readonly T[] => apis.map(() => value)

const served = [
  { status: 201, success: true },
  { status: 201, success: true },
  { status: 200, success: true },
  { status: 200, success: true },
]
const badKey = uncoded(401, 'Invalid API key')
const inactive = uncoded(403, 'Workspace is not active')

describe('a revoked key', () => {
  it('is refused by every process as soon as the command has returned', async () => {
    for (const slug of ['revoked-1', 'revoked-2']) {
      const client = await newWorkspace(slug)
      // Twice, so that every cache has it.
      expect(await askAll(client)).toEqual(served)
      expect(await askAll(client)).toEqual(served)
      await installation.tidings(['api-key', 'revoke', client.applied.apiKeys[0]?.id ?? ''])
      expect(await askAll(client)).toEqual(fill(badKey))
    }
  })

  it('is refused by processes that slept through it, when they wake', async () => {
    const client = await newWorkspace('asleep')
    expect(await askAll(client)).toEqual(served)
    for (const { pid } of apis) process.kill(pid, 'SIGSTOP')
    try {
      const asked = askAll(client)
      // Returns when the leases of the sleepers have ended.
      await installation.tidings(['api-key', 'revoke', client.applied.apiKeys[0]?.id ?? ''])
      for (const { pid } of apis) process.kill(pid, 'SIGCONT')
      expect(await asked).toEqual(fill(badKey))
    } finally {
      for (const { pid } of apis) process.kill(pid, 'SIGCONT')
    }
  })
})

describe('a session', () => {
  const password = 'correct horse battery'
  const credentials = { email: 'owner@example.com', password }
  const user = (command: string, slug: string, ...options: readonly string[]) =>
    installation.tidings(['user', command, '--workspace', slug, '--email', credentials.email, ...options], password)
  const writing = () => apis.slice(0, 2)
  const statuses = (token: string) =>
    Promise.all(writing().map(({ url }) => call(url, 'GET /auth/session', { headers: { Authorization: `Bearer ${token}` } }))).then(
      (answers) => answers.map(({ status }) => status),
    )

  it('begun in one process holds in the other, and revokes a key in all', async () => {
    const client = await newWorkspace('signed-in')
    await user('add', 'signed-in', '--role', 'owner', '--password-file', '-')
    const session = await signIn(apis[0]?.url ?? '', credentials)
    expect(await statuses(session.token)).toEqual([200, 200])
    expect(await askAll(client)).toEqual(served)
    const headers = { Authorization: `Bearer ${session.token}` }
    const revoked = await call(apis[1]?.url ?? '', `POST /integrations/api-keys/${client.applied.apiKeys[0]?.id}/revoke`, { headers })
    expect(revoked.status).toBe(200)
    // On a machine that is busy it may be later than what a write waits for, and says so.
    if (revoked.headers.get('x-consistency') === null) expect(await askAll(client)).toEqual(fill(badKey))
    else await expect.poll(() => askAll(client)).toEqual(fill(badKey))
    const { items } = (await installation.tidings(['api-key', 'history', '--workspace', 'signed-in'])) as { items: readonly object[] }
    expect(items).toMatchObject([
      { action: 'created', actor: 'operator', name: 'test', ip: null },
      { action: 'revoked', actor: expect.stringMatching(/^user:/), name: 'test', ip: '127.0.0.1' },
    ])

    await call(apis[0]?.url ?? '', 'POST /auth/logout', { headers })
    expect(await statuses(session.token)).toEqual([401, 401])
  })

  it('is begun once by a link, whichever processes try at once, and by none behind another password', async () => {
    type Link = Readonly<{ url: string; expiresAt: string }>
    const link = async () => (await user('link', 'signed-in')) as Link
    const tokenOf = (made: Link): string => new URL(made.url).hash.slice(1)
    const made = await link()
    expect(made.url).toMatch(/\/dashboard\/link#[A-Za-z0-9_-]{43}$/)
    expect(Object.keys(made)).toEqual(['url', 'expiresAt'])
    const leftMs = Date.parse(made.expiresAt) - Date.now()
    expect(leftMs).toBeGreaterThan(30 * 60_000)
    expect(leftMs).toBeLessThanOrEqual(61 * 60_000)
    const use = (token: string, url = '') => call(url, 'POST /auth/link', { body: { token } })
    const answers = await Promise.all([...writing(), ...writing()].map(({ url }) => use(tokenOf(made), url)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401])
    const [signedIn] = answers.filter(({ status }) => status === 200)
    expect(await statuses(signedIn === undefined ? '' : (cookiesOf(signedIn).sender_session ?? ''))).toEqual([200, 200])

    const [unused, unknown] = [
      await link(),
      await runTidings(['user', 'link', '--workspace', 'signed-in', '--email', 'x@example.com'], installation.env),
    ]
    expect(unknown).toMatchObject({ code: 1, stdout: '', stderr: 'x@example.com is no user of workspace signed-in.\n' })
    await user('password', 'signed-in', '--password-file', '-')
    for (const { url } of writing()) expect((await use(tokenOf(unused), url)).status).toBe(401)
  })

  it('of an operator is begun by the link that the command prints, and the command gives another', async () => {
    type Added = Readonly<{ id: string; email: string; url: string; expiresAt: string }>
    const add = async () => (await installation.tidings(['operator', 'add', '--email', ' Op@Tidings.example'])) as Added
    const [first, second] = [await add(), await add()]
    expect(Object.keys(first)).toEqual(['id', 'email', 'url', 'expiresAt'])
    expect(second).toMatchObject({ id: first.id, email: 'op@tidings.example' })
    for (const [n, { url }] of [first, second].entries()) {
      const answer = await call(apis[n]?.url ?? '', 'POST /auth/link', { body: { token: new URL(url).hash.slice(1) } })
      expect(answer.body.data).toEqual({
        user: { id: first.id, email: 'op@tidings.example', role: 'operator' },
        workspace: null,
        operator: true,
      })
    }
    const wrong = await runTidings(['operator', 'add', '--email', 'no-address'], installation.env)
    expect(wrong).toMatchObject({ code: 1, stdout: '', stderr: '"no-address" is no email address.\n' })
  })

  it('is over everywhere as soon as the command has returned that takes it away', async () => {
    const url = apis[1]?.url ?? ''
    const first = await signIn(url, credentials)
    await user('password', 'signed-in', '--password-file', '-')
    expect(await statuses(first.token)).toEqual([401, 401])

    const second = await signIn(url, credentials)
    for (const command of ['suspend', 'resume']) await installation.tidings(['workspace', command, 'signed-in'])
    expect(await statuses(second.token)).toEqual([401, 401])

    const third = await signIn(url, credentials)
    expect(await installation.tidings(['user', 'list', '--workspace', 'signed-in'])).toMatchObject({
      items: [{ email: credentials.email, role: 'owner' }],
    })
    await user('remove', 'signed-in')
    expect(await statuses(third.token)).toEqual([401, 401])
    expect((await call(url, 'POST /auth/login', { body: credentials })).status).toBe(401)
    const again = await runTidings(['user', 'remove', '--workspace', 'signed-in', '--email', credentials.email], installation.env)
    expect(again).toMatchObject({ code: 1, stdout: '', stderr: 'owner@example.com is no user of workspace signed-in.\n' })
  })
})

describe('a suspended workspace', () => {
  let client: Client
  let waiting: string
  const setStatus = (command: string, ...options: readonly string[]) =>
    installation.tidings(['workspace', command, client.slug, ...options])
  const statusOf = async (id: string) => {
    const { rows } = await installation.pool.query<{ status: string }>('select status from read.messages where id = $1', [id])
    return rows[0]?.status
  }

  beforeAll(async () => {
    client = await newWorkspace('pausing')
    expect(await askAll(client)).toEqual(served)
    // Accepted while no process sends.
    await stack.end('consumers', 'SIGTERM')
    waiting = await client.send('waits@example.com')
  })

  it('is refused by every process as soon as the command has returned, and says so of itself', async () => {
    expect(await setStatus('suspend')).toMatchObject({ slug: 'pausing', status: 'suspended' })
    expect(await askAll(client)).toEqual(fill(inactive))
    expect((await client.request('GET', '/public/me')).body.data).toMatchObject({ tenant: { status: 'suspended' } })
  })

  it('keeps what was queued', async () => {
    await stack.restart('consumers')
    const held = async () =>
      (await installation.pool.query('select 1 from inbox.job where deferred_for = $1', ['workspace_suspended'])).rowCount
    expect(await eventually(held, (count) => count === 1)).toBe(1)
    expect(await statusOf(waiting)).toBe('queued')
  })

  it('is served again at once when it is resumed, and what waited is sent', async () => {
    expect(await setStatus('resume')).toMatchObject({ status: 'active' })
    expect(await askAll(client)).toEqual(served)
    expect(await client.messageWith(waiting, 'sent')).toMatchObject({ status: 'sent' })
  })

  it('is closed for ever, and what was queued then has failed', async () => {
    await stack.end('consumers', 'SIGTERM')
    const never = await client.send('never@example.com')
    expect(await setStatus('close', '--yes')).toMatchObject({ status: 'closed' })
    await stack.restart('consumers')
    expect(await askAll(client)).toEqual(fill(inactive))
    await eventually(
      () => statusOf(never),
      (status) => status === 'failed',
    )
    const ran = await runTidings(['workspace', 'resume', client.slug], installation.env)
    expect(ran).toMatchObject({ code: 1, stdout: '', stderr: 'Workspace pausing is closed, and that is for ever.\n' })
  })
})
