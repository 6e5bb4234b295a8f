import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { type EventStoreProcess, startEventStoreProcess, startTcpProxy, type TcpProxy } from '@tidings/testing/eventstoredb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer, Client } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { type Installation, install } from './support/installation.ts'
import { launchProcess, runTidings, type ServiceProcess } from './support/service-process.ts'

/** An EventStoreDB that is killed under a service, and the wire between the two, which is cut. */
let database: TestDatabase
let folder: string
let store: EventStoreProcess
let proxy: TcpProxy
let installation: Installation
let service: ServiceProcess
let acme: Client

beforeAll(async () => {
  database = await testDatabase()
  folder = await mkdtemp(join(tmpdir(), `tidings-test-${process.pid}-`))
  store = await startEventStoreProcess({ data: join(folder, 'events') })
  proxy = await startTcpProxy(0, store.port)
  installation = await install(database.url, { TIDINGS_EVENT_STORE: addressOf(proxy), TIDINGS_LOG_LEVEL: 'warn' })
})
afterAll(async () => {
  await service?.end('SIGTERM')
  await installation.close()
  await proxy.close()
  await store.stop()
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

const addressOf = ({ port }: TcpProxy): string => `esdb://127.0.0.1:${port}?tls=false`

const ready = async () => {
  const response = await fetch(`${service.url}/health/ready`).catch(() => null)
  return { status: response?.status, text: (await response?.text()) ?? '' }
}
const create = (email: string): Promise<Answer> => acme.request('POST', '/public/profiles', { email })
const lookup = (email: string) => acme.request('GET', `/public/profiles/lookup?email=${encodeURIComponent(email)}`)

const expectAway = ({ status, headers, body }: Answer): void =>
  expect({ status, body, retryAfter: headers.get('retry-after') }).toEqual({
    status: 503,
    body: { success: false, message: 'Service temporarily unavailable, try again later' },
    retryAfter: expect.stringMatching(/^\d+$/),
  })

describe('an event store that is wrong or away', () => {
  it('ends the start with one sentence where the setting cannot be used, and shows nothing of the password', async () => {
    const changes = { TIDINGS_EVENT_STORE: 'esdb://admin:hunter@2@127.0.0.1:2113?tls=false' }
    const { code, stdout, stderr } = await runTidings(['start'], { ...installation.env, ...changes })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^TIDINGS_EVENT_STORE cannot be used: in its user and password write @ as %40[^\n]*\.\n$/)
    expect(stderr).not.toMatch(/hunter|admin/)
  })

  it('ends a command with one sentence', async () => {
    await store.kill()
    const { code, stdout, stderr } = await runTidings(['projection', 'list'], installation.env)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^The event store 127\.0\.0\.1:\d+ does not answer \([^\n]+\): start it, or correct TIDINGS_EVENT_STORE\.\n$/)
  })

  it('keeps a service waiting, which says for whom, and which is ready by itself once the store has come', async () => {
    service = launchProcess(installation.env)
    const text = expect.stringContaining(`EventStoreDB at 127.0.0.1:${proxy.port} does not answer`)
    await expect.poll(ready).toEqual({ status: 503, text })
    expect(service.output()).toContain('Tidings waits for it')
    await store.start()
    await service.ready()
    acme = await installation.workspace('acme')
    expect((await create('first@example.com')).status).toBe(201)
  })
})

describe('a log that is not the one this database was made from', () => {
  const refused = async (changes: Readonly<Record<string, string>>): Promise<string> => {
    const { code, stderr } = await runTidings(['projection', 'list'], { ...installation.env, ...changes })
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^[A-Z][^\n]*\.\n$/) })
    return stderr
  }

  it('is refused: an empty event store behind tables that have seen another', async () => {
    const empty = await startEventStoreProcess()
    expect(await refused({ TIDINGS_EVENT_STORE: empty.connectionString })).toContain('does not hold what this database has seen of it')
    await empty.stop()
  })

  it('is refused: the database, where the tables follow an event store', async () => {
    expect(await refused({ TIDINGS_EVENT_STORE: 'postgres' })).toContain('follow a log outside of it')
  })

  it('is refused: an event store, where the log is in the database', async () => {
    const other = await testDatabase()
    await other.pool.query(
      `insert into es.event (position, stream_id, revision, event_id, type, data, meta, created)
       values (1, 's-1', 0, gen_random_uuid(), 'Happened', '{}', '{}', now())`,
    )
    expect(await refused({ TIDINGS_DATABASE_URL: other.url })).toContain('The log of this installation is in its database')
    await other.drop()
  })
})

describe('an event store that goes away under a running service', () => {
  it('is named, makes every write a 503 that says when to come back, and leaves what is read from tables readable', async () => {
    await store.kill()
    const { text } = await eventually(ready, ({ status }) => status === 503)
    expect(text).toContain('event store')
    expect((await fetch(`${service.url}/health/live`)).status).toBe(200)
    const message = { to: 'away@example.com', fromEmail: acme.fromEmail, subject: 's', html: 'h' }
    const writes = [create('away@example.com'), acme.request('POST', '/public/messages/email', message)]
    for (const answer of await Promise.all(writes)) expectAway(answer)
    expect((await lookup('first@example.com')).status).toBe(200)
  })

  it('is used again by the same process when it is back, with everything that it had acknowledged', async () => {
    const { pid } = service
    await store.start()
    await service.ready()
    expect((await lookup('first@example.com')).status).toBe(200)
    const { status, body } = await create('away@example.com')
    // The write that was answered 503 may have been stored: then its address is taken.
    expect([201, 409], JSON.stringify(body)).toContain(status)
    await acme.messageWith(await acme.send('first@example.com'), 'sent')
    expect({ pid: service.pid, ended: service.ended() }).toEqual({ pid, ended: false })
  })

  it('is as good as away when it takes everything and says nothing', async () => {
    proxy.hold()
    const answers = [create('silence@example.com'), create('silence@example.com')]
    const { text } = await eventually(ready, ({ status }) => status === 503)
    expect(text).toContain('event store')
    for (const answer of await Promise.all(answers)) expectAway(answer)
    proxy.release()
    await service.ready()
    const { status } = await create('silence@example.com')
    expect([201, 409]).toContain(status)
    expect((await lookup('silence@example.com')).status).toBe(200)
  })

  it('answers every write of a time in which its connections are cut again and again, and has each once', async () => {
    const emails = Array.from({ length: 60 }, (_, n) => `cut-${n}@example.com`)
    let open = emails.length
    const writes = emails.map((email) => create(email).finally(() => open--))
    for (let cuts = 0; cuts < 5 && open > 0; cuts++) {
      const before = open
      await eventually(
        async () => open,
        (left) => left < before,
      )
      proxy.cut()
    }
    const answers = await Promise.all(writes)
    expect(answers.map(({ status }) => status)).toEqual(emails.map(() => 201))
    const shown = async (): Promise<readonly string[]> => {
      const { body } = await acme.request('GET', '/public/profiles?search=cut-&limit=200')
      return (body.data as { items: { email: string }[] }).items.map(({ email }) => email).sort()
    }
    // The projectors' subscription was cut as well: an answer of that time may say that reads follow (M2), and those that do not must hold at once.
    const promised = emails.filter((_, n) => answers[n]?.headers.get('x-consistency') === null)
    expect(await shown()).toEqual(expect.arrayContaining(promised))
    expect(await eventually(shown, ({ length }) => length >= emails.length)).toEqual(emails.toSorted())
  })

  it('is heard again after the cuts: a key that is revoked is refused at once', async () => {
    const made = (await installation.tidings(['api-key', 'create', '--workspace', 'acme'])) as { id: string; key: string }
    const me = () => acme.request('GET', '/public/me', undefined, { 'X-API-Key': made.key })
    expect((await me()).status).toBe(200)
    await installation.tidings(['api-key', 'revoke', made.id])
    expect((await me()).status).toBe(401)
  })
})

describe('a service that is asked to stop while its event store is away', () => {
  // 1 is what it ends with when it could not finish within 10 s.
  const stops = async (): Promise<void> => {
    expect(await service.end('SIGTERM')).toMatchObject({ code: 0, signal: null, stderr: '' })
    await store.start()
    service = await installation.start()
  }

  it('ends with 0', async () => {
    await store.kill()
    await eventually(ready, ({ status }) => status === 503)
    await stops()
  })

  it('ends with 0 where it began without it', async () => {
    expect(await service.end('SIGTERM')).toMatchObject({ code: 0 })
    await store.kill()
    service = launchProcess(installation.env)
    await expect.poll(ready).toMatchObject({ status: 503 })
    await stops()
  })

  it('ends with 0 and answers first what it was asked', async () => {
    proxy.hold()
    const asked = Array.from({ length: 20 }, (_, n) => create(`asked-${n}@example.com`))
    await eventually(ready, ({ status }) => status === 503)
    const stopped = service.end('SIGTERM')
    for (const answer of await Promise.all(asked)) expectAway(answer)
    expect(await stopped).toMatchObject({ code: 0, signal: null, stderr: '' })
    proxy.release()
    service = await installation.start()
  })

  it('ends with 0 where it is asked to before it has noticed, and sends afterwards what it had accepted', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, (_, n) => acme.send(`stopped-${n}@example.com`)))
    await store.kill()
    await stops()
    for (const id of ids) await acme.messageWith(id, 'sent')
  })
})
