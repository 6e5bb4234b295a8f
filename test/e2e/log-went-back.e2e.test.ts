import { copyFile, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestPostgres, type TestDatabase, type TestPostgres, testDatabase } from '@tidings/testing'
import { type EventStoreProcess, startEventStoreProcess } from '@tidings/testing/eventstoredb'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { type Installation, install } from './support/installation.ts'
import { launchProcess, runTidings, type ServiceProcess } from './support/service-process.ts'

/** A log that is set back, wiped or replaced under a service and before its start. */
let installation: Installation
let service: ServiceProcess
let acme: Client

const email = (name: string): string => `${name}@example.com`
const create = async (name: string): Promise<number> =>
  (await acme.request('POST', '/public/profiles', { email: email(name) }, { 'Idempotency-Key': name })).status
const lookup = async (name: string): Promise<number> =>
  (await acme.request('GET', `/public/profiles/lookup?email=${encodeURIComponent(email(name))}`)).status

/** Every way of writing: to a stream that is new, to one that exists, and where only what is read decides that nothing is to be done. */
const writes = async (known: string): Promise<readonly number[]> => {
  const message = { to: email(known), fromEmail: acme.fromEmail, subject: 's', html: 'h' }
  const made = [
    acme.request('POST', '/public/profiles', { email: email(`new-${crypto.randomUUID()}`) }),
    acme.request('PATCH', '/public/profiles', { email: email(known), firstName: 'Ada' }),
    acme.request('POST', '/public/messages/email', message),
    acme.request('POST', '/public/tags', { name: `tag-${crypto.randomUUID().slice(0, 8)}` }),
  ]
  return (await Promise.all(made)).map(({ status }) => status)
}

const ready = async () => {
  const response = await fetch(`${service.url}/health/ready`).catch(() => null)
  return { status: response?.status, text: (await response?.text()) ?? '' }
}

/** Alive, not ready for a reason that names the event store, and every write 503 from the first on. */
const expectRefusal = async (known: string): Promise<void> => {
  expect(await writes(known)).toEqual([503, 503, 503, 503])
  const { text } = await eventually(ready, ({ status }) => status === 503)
  expect(text).toMatch(/"name":"event store","reason":"the event log does not hold what was seen of it/)
  expect((await fetch(`${service.url}/health/live`)).status).toBe(200)
  expect(await writes(known)).toEqual([503, 503, 503, 503])
  expect(service.ended()).toBe(false)
}

describe('an EventStoreDB that went back', () => {
  let database: TestDatabase
  let folder: string
  let store: EventStoreProcess
  const log = (): string => join(folder, 'events')

  beforeAll(async () => {
    database = await testDatabase()
    folder = await mkdtemp(join(tmpdir(), `tidings-test-${process.pid}-`))
    store = await startEventStoreProcess({ data: log() })
    installation = await install(database.url, { TIDINGS_EVENT_STORE: store.connectionString })
    service = await installation.start()
    acme = await installation.workspace('acme')
    expect(await create('first')).toBe(201)
    await acme.messageWith(await acme.send(email('first')), 'sent')
  })
  afterAll(async () => {
    await service?.end('SIGTERM')
    await installation.close()
    await store.stop()
    await database.drop()
    await rm(folder, { recursive: true, force: true })
  })

  const eventsIn = async (file: string): Promise<number> =>
    (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '' && !line.includes('"stream":"$')).length

  it('under a running service is refused, though the server that came back is empty', async () => {
    await store.kill()
    await copyFile(log(), join(folder, 'kept'))
    await rm(log())
    await store.start()
    await expectRefusal('first')
    expect(await eventsIn(log())).toBe(0)
    expect(await lookup('first')).toBe(200)
  })

  it('is used again by the same process when it is the one that was known', async () => {
    await store.kill()
    await copyFile(join(folder, 'kept'), log())
    await store.start()
    await service.ready()
    expect(await create('second')).toBe(201)
    expect(await lookup('second')).toBe(200)
    await acme.messageWith(await acme.send(email('second')), 'sent')
  })

  it('before the start lets the service live and wait, and refuses a command', async () => {
    expect(await service.end('SIGTERM')).toMatchObject({ code: 0 })
    await store.kill()
    await copyFile(log(), join(folder, 'newest'))
    await copyFile(join(folder, 'kept'), log())
    await store.start()
    const stored = await eventsIn(log())
    service = launchProcess(installation.env)
    await expect.poll(ready).toMatchObject({ status: 503 })
    await expectRefusal('first')
    expect(await eventsIn(log())).toBe(stored)
    const { code, stderr } = await runTidings(['projection', 'list'], installation.env)
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('does not hold what this database has seen of it') })
  })

  it('is not mistaken for the known one because it has grown longer meanwhile', async () => {
    expect(await service.end('SIGTERM')).toMatchObject({ code: 0 })
    // Begun anew: a log that holds what another database has the keys of would be refused for that.
    await store.kill()
    await rm(log())
    await store.start()
    const elsewhere = await testDatabase()
    const other = await install(elsewhere.url, { TIDINGS_EVENT_STORE: store.connectionString })
    const tags = Array.from({ length: 60 }, (_, n) => `{ name: tag-${n} }`)
    await other.tidings(['apply', '-f', '-'], `workspace: { slug: other, name: Other }\ntags: [${tags}]`)
    await other.close()
    await elsewhere.drop()
    expect((await stat(log())).size).toBeGreaterThan(2 * (await stat(join(folder, 'newest'))).size)
    service = launchProcess(installation.env)
    await expect.poll(ready).toMatchObject({ status: 503 })
    await expectRefusal('first')
    await store.kill()
    await copyFile(join(folder, 'newest'), log())
    await store.start()
    await service.ready()
    expect(await create('third')).toBe(201)
  })
})

describe('a Postgres that was restored from an older backup', () => {
  let server: TestPostgres
  let admin: pg.Client

  beforeAll(async () => {
    server = await startTestPostgres()
    admin = new pg.Client(server.url)
    await admin.connect()
    await admin.query('create database served')
    const url = new URL(server.url)
    url.pathname = '/served'
    installation = await install(url.href)
    service = await installation.start()
    acme = await installation.workspace('acme')
    // A client asks again under the same key while the service is busy.
    await eventually(
      () => create('first'),
      (status) => status === 201,
    )
    await service.end('SIGTERM')
  })
  afterAll(async () => {
    await service?.end('SIGTERM')
    await installation.close()
    await admin.end()
    await server.stop()
  })

  const copy = async (from: string, to: string): Promise<void> => {
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [from])
    await admin.query(`create database ${to} template ${from}`)
  }

  it('under a running service is refused', async () => {
    await copy('served', 'backup')
    service = await installation.start()
    expect(await create('second')).toBe(201)
    await admin.query('drop database served with (force)')
    await copy('backup', 'served')
    await eventually(ready, ({ text }) => text.includes('does not hold what was seen'))
    await expectRefusal('first')
    const { rows } = await admin.query<{ n: number }>(`select count(*)::int as n from pg_database where datname = 'served'`)
    expect(rows).toEqual([{ n: 1 }])
  })

  it('is used by a new start, without what came after the backup', async () => {
    expect(await service.end('SIGTERM')).toMatchObject({ code: 0 })
    service = await installation.start()
    expect(await lookup('second')).toBe(404)
    expect(await create('second')).toBe(201)
  })

  it('is refused by a new start where its tables have seen more than its log holds', async () => {
    expect(await service.end('SIGTERM')).toMatchObject({ code: 0 })
    await installation.pool.query('update ops.consumer_checkpoint set position_commit = position_commit + 1')
    service = launchProcess(installation.env)
    await expect.poll(ready).toMatchObject({ status: 503 })
    await expectRefusal('first')
  })
})
