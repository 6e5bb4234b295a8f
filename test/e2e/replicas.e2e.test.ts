import { randomUUID } from 'node:crypto'
import { startTestPostgres, startTestReplica, type TestPostgres } from '@tidings/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, clientOf } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { type Installation, install } from './support/installation.ts'
import { runTidings } from './support/service-process.ts'
import { type Stack, startStack } from './support/stack.ts'

const KEY_LIMIT = 60

let primary: TestPostgres
let replica: TestPostgres
let installation: Installation
let stack: Stack
let acme: Client
let revoked: Client
beforeAll(async () => {
  primary = await startTestPostgres({ settings: { wal_keep_size: '256MB' } })
  replica = await startTestReplica(primary)
  installation = await install(primary.url, { TIDINGS_READ_DATABASE_URL: replica.url, TIDINGS_READ_LAG_SECONDS: '60' })
  const { TIDINGS_READ_DATABASE_URL: _, ...withoutReplica } = installation.env
  // Neither is ever there: what only reads needs no event store and no Kafka.
  const elsewhere = { TIDINGS_EVENT_STORE: 'esdb://127.0.0.1:1?tls=false', TIDINGS_KAFKA_BROKERS: '127.0.0.1:1' }
  const limited = { ...installation.env, ...elsewhere, TIDINGS_RATE_LIMIT_KEY: String(KEY_LIMIT) }
  stack = await startStack(
    withoutReplica,
    [['command-api'], ['query-api'], ['projectors', 'consumers']],
    [{ TIDINGS_READ_DATABASE_URL: replica.url }, limited],
  )
  const workspace = async (slug: string) => clientOf({ url: stack.url, applied: (await installation.workspace(slug)).applied })
  acme = await workspace('acme')
  revoked = await workspace('revoked')
})
afterAll(async () => {
  await stack.stop()
  await installation.close()
  await replica.stop()
  await primary.stop()
})

const reader = () => stack.of('query-api').url
const health = async () => {
  const response = await fetch(`${reader()}/health/ready`)
  return { status: response.status, body: (await response.json()) as Readonly<{ status: string; degraded?: readonly { name: string }[] }> }
}
const isReady = ({ status, body }: Awaited<ReturnType<typeof health>>) => status === 200 && body.status === 'ready'
const metrics = async () => (await fetch(`${reader()}/metrics`)).text()
const answeredByReplica = async () => Number(/tidings_reads_answered\{server="(?!primary)[^"]*"\} (\d+)/.exec(await metrics())?.[1])
const read = (path = '/public/profiles?limit=1') => acme.request('GET', path)

describe('a query-api with a replica', () => {
  it('reads there as soon as the replica is fit, and a write that is confirmed can be read there', async () => {
    await eventually(health, isReady)
    await eventually(metrics, (text) => /tidings_read_replica_fit\{replica="[^"]*"\} 1/.test(text))
    const before = await answeredByReplica()
    let promised = 0
    for (let n = 0; n < 20; n++) {
      const { status, headers, body } = await acme.request('POST', '/public/profiles', { email: `own-${n}@example.com` })
      expect(status).toBe(201)
      // On a machine that is busy one of them may be later than what a write waits for, and says so.
      if (headers.get('x-consistency') === 'pending') continue
      promised++
      expect((await read(`/public/profiles/${(body.data as { id: string }).id}`)).status).toBe(200)
    }
    expect(promised).toBeGreaterThan(0)
    expect(await answeredByReplica()).toBeGreaterThan(before)
    expect(await metrics()).toMatch(/tidings_read_replica_lag_bytes\{replica="[^"]*"\} \d+/)
  })

  it('answers look-ups that come together each with its own row, of its own workspace, and one that is given up takes none down', async () => {
    const ids = await Promise.all(
      Array.from({ length: 4 }, async (_, n) => {
        const { body } = await acme.request('POST', '/public/profiles', { email: `together-${n}@example.com` })
        return (body.data as { id: string }).id
      }),
    )
    const lookUp = (client: Client, id: string, signal?: AbortSignal) =>
      client.request('GET', `/public/profiles/${id}`, undefined, {}, signal)
    for (const id of ids)
      await eventually(
        () => lookUp(acme, id),
        ({ status }) => status === 200,
      )
    const before = await answeredByReplica()
    const given = new AbortController()
    const givenUp = ids.map((id) => lookUp(acme, id, given.signal).catch(() => null))
    const asked = ids.flatMap((id) => [lookUp(acme, id), lookUp(revoked, id)])
    given.abort()
    const answers = await Promise.all(asked)
    await Promise.all(givenUp)
    expect(answers.map(({ status, body }) => (status === 200 ? (body.data as { id: string }).id : status))).toEqual(
      ids.flatMap((id) => [id, 404]),
    )
    expect(await answeredByReplica()).toBeGreaterThan(before)
  })

  it('tells the key for push, which is of no workspace', async () => {
    expect((await fetch(`${reader()}/api/v1/push/public-key`)).status).toBe(200)
  })

  it('is named by doctor', async () => {
    const { stdout } = await runTidings(['doctor', '--json'], installation.env)
    const { items } = JSON.parse(stdout) as { items: readonly { check: string; ok: boolean; said: string }[] }
    expect(items.find(({ check }) => check.startsWith('replica '))).toMatchObject({
      ok: true,
      said: expect.stringContaining('bytes behind'),
    })
  })

  it('is refused by a role that reads nothing', async () => {
    const { code, stderr } = await runTidings(['start', 'projectors'], installation.env)
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('TIDINGS_READ_DATABASE_URL is for query-api') })
  })
})

describe('a primary that goes away', () => {
  beforeAll(async () => {
    expect((await revoked.request('GET', '/public/me')).status).toBe(200)
    await installation.tidings(['api-key', 'revoke', revoked.applied.apiKeys[0]?.id ?? ''])
    await primary.kill()
  })

  it('leaves the reads to the replica, which say so, and the process ready', async () => {
    const { status, body } = await eventually(health, (answer) => answer.body.status === 'degraded')
    expect([status, body.degraded?.map(({ name }) => name)]).toEqual([200, expect.arrayContaining(['database'])])
    const { headers } = await eventually(read, (answer) => answer.status === 200)
    expect(headers.get('x-consistency')).toBe('pending')
    const lookUp = await read(`/public/profiles/${randomUUID()}`)
    expect([lookUp.status, lookUp.headers.get('x-consistency')]).toEqual([404, 'pending'])
  })

  it('does not bring back a key that was revoked', async () => {
    expect((await revoked.request('GET', '/public/me')).status).toBe(401)
  })

  it('has the process count its own requests', async () => {
    // However slow the machine, they are of two windows at most.
    const answers = await Promise.all(Array.from({ length: 2 * KEY_LIMIT + 1 }, () => read()))
    expect(answers.map(({ status }) => status)).toEqual(expect.arrayContaining([200, 429]))
  })

  it('keeps no reader from starting, which says the same', async () => {
    await stack.end('query-api')
    await stack.restart('query-api')
    const { status, body } = await eventually(health, (answer) => answer.body.status === 'degraded')
    expect([status, body.degraded?.map(({ name }) => name)]).toEqual([200, expect.arrayContaining(['database'])])
    const { headers } = await eventually(read, (answer) => answer.status === 200)
    expect(headers.get('x-consistency')).toBe('pending')
    expect((await revoked.request('GET', '/public/me')).status).toBe(401)
  })

  it('is asked again when it is back, and nothing is pending any more', async () => {
    await primary.start()
    await eventually(health, isReady)
    await eventually(read, ({ status, headers }) => status === 200 && headers.get('x-consistency') === null)
    await eventually(
      () => acme.request('POST', '/public/profiles', { email: 'afterwards@example.com' }),
      ({ status }) => status === 201,
    )
  })
})
