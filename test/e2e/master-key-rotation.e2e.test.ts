import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openKeyRing } from '@tidings/codec'
import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from './support/client.ts'
import { type Installation, install } from './support/installation.ts'
import { freePort, launchProcess, rolesCommand, runTidings, type ServiceProcess, startProcess } from './support/service-process.ts'

type Rotated = Readonly<{ key: string; rewrapped: number }>

const ROTATE = [...rolesCommand([]).slice(0, 2), 'master-key', 'rotate', '--json']
const HTML = '<a href="https://shop.example/">Shop</a>'

describe('with a key that the operator keeps', () => {
  let database: TestDatabase
  let installation: Installation
  let service: ServiceProcess
  let acme: Client
  beforeAll(async () => {
    database = await testDatabase()
    installation = await install(database.url, { TIDINGS_PUBLIC_URL: 'https://mail.acme.example' })
    service = await installation.start()
    acme = await installation.workspace('acme')
    await installation.tidings(['apply', '-f', '-'], 'workspace: { slug: acme, name: acme }\ntracking: true')
  })
  afterAll(async () => {
    await service.end('SIGTERM')
    await installation.close()
    await database.drop()
  })

  /** The address at this service to which the link in a mail to this recipient leads. */
  const linkTo = async (to: string): Promise<string> => {
    await acme.messageWith(await acme.send(to, { html: HTML }), 'sent')
    const { items } = (await (await fetch(`${service.url}/dev/outbox?to=${to}`)).json()) as { items: readonly { html: string }[] }
    return /"https:\/\/mail\.acme\.example(\/c\?t=[A-Za-z0-9_-]+)"/.exec(items[0]?.html ?? '')?.[1] ?? 'none'
  }
  const follow = async (path: string): Promise<string | null> =>
    (await fetch(`${service.url}${path}`, { redirect: 'manual' })).headers.get('location')
  const profile = (n: number, key: string) =>
    acme.request('POST', '/public/profiles', { email: `person-${n}@example.com` }, { 'Idempotency-Key': key })

  /** New people and mail to them, one after the other, until it is stopped; answers what was not accepted. */
  const load = () => {
    let stopped = false
    const run = async (): Promise<readonly unknown[]> => {
      const refused: unknown[] = []
      for (let n = 0; !stopped; n++) {
        const created = await acme.request('POST', '/public/profiles', { email: `loaded-${n}@example.com` })
        const sent = await acme.request('POST', '/public/messages/email', {
          to: n % 2 ? `loaded-${n}@example.com` : `mailed-${n}@example.com`,
          fromEmail: acme.fromEmail,
          subject: 'Hello',
          html: '<p>Hi</p>',
        })
        if (created.status !== 201) refused.push(created)
        if (sent.status !== 202) refused.push(sent)
      }
      return refused
    }
    const running = run()
    // A test that fails before it asks must not fail twice.
    running.catch(() => undefined)
    return () => {
      stopped = true
      return running
    }
  }

  it('is replaced under load, killed halfway and called again, and no request notices', async () => {
    const first = await profile(1, 'once')
    expect(first.status).toBe(201)
    const link = await linkTo('linked@example.com')
    expect(await follow(link)).toBe('https://shop.example/')
    const ring = await openKeyRing({ pool: installation.pool, masterKey: installation.env.TIDINGS_MASTER_KEY ?? '' })
    await Promise.all(Array.from({ length: 2_000 }, (_, n) => ring.newKeyFor(acme.applied.workspace.id, `contact:${n}`)))
    const stop = load()

    const gate = await installation.pool.connect()
    await gate.query('begin')
    const { rows } = await gate.query<{ subject: string }>(
      'select subject from keys.subject_key order by workspace_id, subject offset 700 limit 1 for update',
    )
    expect(rows).toHaveLength(1)
    const killed = launchProcess(installation.env, ROTATE)
    const isHalfway = `select exists (select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like 'update keys.subject_key%') as halfway`
    await until(async () => expect((await installation.pool.query<{ halfway: boolean }>(isHalfway)).rows).toEqual([{ halfway: true }]))
    const { stdout } = await killed.end('SIGKILL')
    expect(stdout).toBe('')
    await gate.query('commit')
    gate.release()
    const isOver = `select not exists (select from pg_locks where locktype = 'advisory' and objid = 7100024
      and database = (select oid from pg_database where datname = current_database())) as over`
    await until(async () => expect((await installation.pool.query<{ over: boolean }>(isOver)).rows).toEqual([{ over: true }]))

    const unused = join(tmpdir(), `tidings-test-${process.pid}-unused`)
    expect((await runTidings(['backup', unused, '--json'], installation.env)).stderr).toContain('There can be no backup now')
    const { key, rewrapped } = (await installation.tidings(['master-key', 'rotate'])) as Rotated
    expect(key).toMatch(/^[0-9a-f]{64}$/)
    expect(rewrapped).toBeGreaterThan(900)
    expect(await stop()).toEqual([])
    expect(await follow(link)).toBe('https://shop.example/')
    expect((await profile(1, 'once')).body).toEqual(first.body)

    await service.end('SIGTERM')
    const refused = await runTidings(['start'], installation.env)
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/^TIDINGS_MASTER_KEY is not the key this database was written under/),
    ])
    service = await startProcess({ ...installation.env, TIDINGS_MASTER_KEY: key })
    expect((await profile(1, 'once')).body).toEqual(first.body)
    const { id } = first.body.data as { id: string }
    expect((await acme.request('GET', `/public/profiles/${id}`)).body.data).toMatchObject({ email: 'person-1@example.com' })
    expect(await follow(link)).toBe('https://shop.example/')
    expect(await follow(await linkTo('afterwards@example.com'))).toBe('https://shop.example/')
    const doctor = await runTidings(['doctor', '--json'], { ...installation.env, TIDINGS_MASTER_KEY: key })
    expect(JSON.parse(doctor.stdout).items).toContainEqual(expect.objectContaining({ check: 'master key', ok: true }))
  })
})

describe('with the key of the data directory', () => {
  it('is replaced there, whole and closed to others, beside the running service', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidings-rotation-'))
    const file = join(folder, 'data/master.key')
    const env = { TIDINGS_DATA_DIR: join(folder, 'data'), TIDINGS_LOG_LEVEL: 'error', PORT: String(await freePort()) }
    let service = await startProcess(env)
    await until(() => expect(service.output()).toContain('sk_evt_'))
    const headers = {
      'X-Sender-Tenant': 'demo',
      'X-API-Key': /sk_evt_[0-9a-f]{64}/.exec(service.output())?.[0] ?? '',
      'Content-Type': 'application/json',
    }
    const profiles = `${service.url}/api/v1/public/profiles`
    const before = await readFile(file, 'utf8')
    expect((await fetch(profiles, { method: 'PUT', headers, body: '{"email":"ada@example.com"}' })).status).toBe(200)

    const { code, stdout } = await runTidings(['master-key', 'rotate', '--json'], env)
    expect(code).toBe(0)
    const { key, rewrapped } = JSON.parse(stdout) as Rotated
    expect(rewrapped).toBeGreaterThan(1)
    expect((await readFile(file, 'utf8')).trim()).toBe(key)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const lookup = async () => (await fetch(`${profiles}/lookup?email=ada@example.com`, { headers })).json()
    const known = await until(async () => {
      const found = await lookup()
      expect(found).toMatchObject({ data: { email: 'ada@example.com' } })
      return found
    })
    expect((await fetch(profiles, { method: 'PUT', headers, body: '{"email":"bob@example.com"}' })).status).toBe(200)

    await service.end('SIGKILL')
    expect((await runTidings(['doctor'], { ...env, TIDINGS_MASTER_KEY: before.trim() })).stdout).toContain(
      'TIDINGS_MASTER_KEY is not the key',
    )
    service = await startProcess(env)
    expect(await lookup()).toEqual(known)
    expect((await runTidings(['backup', join(folder, 'backup')], env)).code).toBe(0)
    await service.end('SIGTERM')
    const elsewhere = { ...env, TIDINGS_DATA_DIR: join(folder, 'restored') }
    expect((await runTidings(['restore', join(folder, 'backup')], elsewhere)).code).toBe(0)
    service = await startProcess(elsewhere)
    expect(await lookup()).toEqual(known)
    await service.end('SIGTERM')
    await rm(folder, { recursive: true })
  })
})
