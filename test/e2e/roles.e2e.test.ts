import { ROLES, type Role } from '@tidings/service'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { containerOf, kubectl, renderOverlay } from '../deploy/manifests.ts'
import { aim } from './support/aim.ts'
import { type Client, clientOf } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { type Installation, install } from './support/installation.ts'
import { type Environment, freePort, launchProcess, rolesCommand, runTidings } from './support/service-process.ts'
import { type Stack, startStack } from './support/stack.ts'

type Pod = Readonly<{ role: Role; env: Environment; admin: string; probes: readonly string[] }>

const manifests = kubectl === null ? null : renderOverlay(aim().includes('kafka') ? 'whole' : 'small')

/** The secrets that the pods of the overlay name, for the stores of an installation. */
const secretsOf = ({ TIDINGS_DATABASE_URL = '', ...writing }: Environment) => ({
  'tidings-reading': { TIDINGS_DATABASE_URL },
  'tidings-writing': { ...writing, TIDINGS_ALLOW_OUTBOX: '1' },
})

/** Each role with the variables of its pod in deploy/kubernetes, on a port of its own; with those of the installation where there is no kubectl to render it. */
const podOf = async (role: Role, env: Environment): Promise<Pod> => {
  const port = await freePort()
  const deployment = manifests?.of('Deployment').find(({ metadata }) => metadata?.name === role)
  const given = deployment && manifests ? manifests.environmentOf(deployment, secretsOf(env)) : env
  const { startupProbe, readinessProbe, livenessProbe } = deployment ? containerOf(deployment) : {}
  const probes = [startupProbe, readinessProbe, livenessProbe].flatMap((probe) => probe?.httpGet?.path ?? [])
  return { role, env: { ...given, TIDINGS_ADMIN_PORT: String(port) }, admin: `http://127.0.0.1:${port}`, probes }
}

let pods: readonly Pod[]
let database: TestDatabase
let installation: Installation
let stack: Stack
let acme: Client
beforeAll(async () => {
  database = await testDatabase()
  installation = await install(database.url)
  const { env } = installation
  const roles = ROLES.filter((role) => role !== 'relay' || env.TIDINGS_KAFKA_BROKERS !== undefined)
  pods = await Promise.all(roles.map((role) => podOf(role, env)))
  stack = await startStack(
    {},
    roles.map((role) => [role]),
    pods.map((pod) => pod.env),
  )
  acme = clientOf({ url: stack.url, applied: (await installation.workspace('acme')).applied, shown: installation.shown })
})
afterAll(async () => {
  await stack.stop()
  await installation.close()
  await database.drop()
})

const metricsOf = async (url: string): Promise<string> => (await fetch(`${url}/metrics`)).text()
const readiness = async (url: string) => {
  const response = await fetch(`${url}/health/ready`).catch(() => null)
  return response === null ? null : { status: response.status, body: await response.json() }
}

describe('each role in a process of its own', () => {
  it('shows a write at once, although another process projects it', async () => {
    let promised = 0
    for (let n = 0; n < 20; n++) {
      const { status, headers, body } = await acme.request('POST', '/public/profiles', { email: `own-${n}@example.com` })
      expect(status).toBe(201)
      const { id } = body.data as { id: string }
      const read = async () => (await acme.request('GET', `/public/profiles/${id}`)).status
      // On a machine that is busy one of them may be later than what a write waits for, and says so.
      if (headers.get('x-consistency') === null && ++promised > 0) expect(await read()).toBe(200)
      else await eventually(read, (shown) => shown === 200)
    }
    expect(promised).toBeGreaterThan(0)
  })

  it('sends what was accepted elsewhere', async () => {
    const id = await acme.send('sent-by-another@example.com')
    expect(await acme.messageWith(id, 'sent')).toMatchObject({ id, status: 'sent' })
  })

  it('serves only its own routes, and health and metrics beside them', async () => {
    const [command, query, projectors] = stack.processes().map(({ url }) => url)
    const get = (url: string | undefined) => clientOf({ url: url ?? '', applied: acme.applied }).request('GET', '/public/me')
    expect([(await get(command)).status, (await get(query)).status, (await get(projectors)).status]).toEqual([404, 200, 404])
    for (const { url } of stack.processes()) expect((await fetch(`${url}/health/live`)).status).toBe(200)
    for (const { url } of stack.processes()) expect((await fetch(`${url}/metrics`)).status).toBe(404)
  })

  it.runIf(manifests !== null)('answers the probes of its pod, and the migration of its Job has nothing left to do', async () => {
    for (const { admin, probes } of pods) {
      expect(probes).toHaveLength(3)
      const answers = () => Promise.all(probes.map(async (path) => (await fetch(admin + path)).status))
      await eventually(answers, (statuses) => statuses.every((status) => status === 200))
    }
    const [job] = manifests?.of('Job') ?? []
    const env = job && manifests?.environmentOf(job, secretsOf(installation.env))
    expect(env).not.toHaveProperty('TIDINGS_MASTER_KEY')
    const ran = await runTidings(job ? (containerOf(job).args ?? []) : [], env ?? {})
    expect(ran).toMatchObject({ code: 0, stdout: 'The schema is up to date.\n' })
  })

  it('tells of its own role in its metrics', async () => {
    const metrics = () => Promise.all(pods.slice(0, 4).map(({ admin }) => metricsOf(admin)))
    const owned = 'tidings_projection_owned{projection="profiles"} 1'
    // A lease that a machine lost while it stood still is taken again.
    const received = await eventually(metrics, (pages) => pages.some((text) => text.includes(owned)))
    expect(received.map((text) => /tidings_role\{role="([a-z-]+)"\} 1/.exec(text)?.[1])).toEqual([
      'command-api',
      'query-api',
      'projectors',
      'consumers',
    ])
    expect(received.map((text) => text.includes(owned))).toEqual([false, false, true, false])
    expect(received.map((text) => text.includes('tidings_consumer_lag_seconds{'))).toEqual([false, false, false, true])
  })

  it('documents the whole API, whichever process serves which part of it', async () => {
    const document = (await (await fetch(`${stack.url}/openapi.json`)).json()) as { paths: Record<string, Record<string, unknown>> }
    expect(Object.keys(document.paths['/api/v1/public/profiles'] ?? {}).sort()).toEqual(['get', 'patch', 'post', 'put'])
  })
})

describe('a process that only reads', () => {
  it('needs Postgres and nothing else: no master key, no log', async () => {
    const { TIDINGS_MASTER_KEY: _, ...env } = installation.env
    const settings = { ...env, PORT: String(await freePort()), TIDINGS_EVENT_STORE: 'esdb://127.0.0.1:1?tls=false' }
    const reader = launchProcess(settings, rolesCommand(['query-api']))
    try {
      await reader.ready()
      const answer = await clientOf({ url: reader.url, applied: acme.applied }).request('GET', '/public/profiles?limit=1')
      expect(answer.status).toBe(200)
    } finally {
      await reader.end('SIGTERM')
    }
  })

  it('goes on while no process writes, projects or sends', async () => {
    const others = ['command-api', 'projectors', 'consumers'] as const
    for (const role of others) await stack.end(role)
    expect((await acme.request('GET', '/public/profiles?limit=1')).status).toBe(200)
    await Promise.all(others.map((role) => stack.restart(role)))
    expect((await acme.request('POST', '/public/profiles', { email: 'after@example.com' })).status).toBe(201)
  })
})

describe('a projection', () => {
  const owners = async () => {
    const { rows } = await installation.pool.query<{ owner: string }>(
      `select distinct owner from ops.projection_lease where expires_at > clock_timestamp()`,
    )
    return rows.map(({ owner }) => owner)
  }

  it('is taken over within seconds when its owner is killed, and the writes meanwhile are kept', async () => {
    const before = await owners()
    const env = { ...installation.env, PORT: String(await freePort()) }
    const second = launchProcess(env, rolesCommand(['projectors']))
    try {
      await second.ready()
      await stack.end('projectors')
      const { status, body } = await acme.request('POST', '/public/profiles', { email: 'meanwhile@example.com' })
      expect(status).toBe(201)
      await eventually(owners, (now) => now.length === 1 && now[0] !== before[0])
      const { id } = body.data as { id: string }
      await eventually(
        async () => (await acme.request('GET', `/public/profiles/${id}`)).status,
        (answered) => answered === 200,
      )
    } finally {
      await stack.restart('projectors')
      await second.end('SIGTERM')
    }
  })
})

describe('a process that is not ready says what it waits for', () => {
  it('an API, for tables that no process has made', async () => {
    const empty = await testDatabase()
    const other = await install(empty.url)
    const env = { ...other.env, PORT: String(await freePort()), TIDINGS_LOG_LEVEL: 'info' }
    const api = launchProcess(env, rolesCommand(['query-api']))
    try {
      const received = await eventually(
        () => readiness(api.url),
        (answer) => JSON.stringify(answer).includes('no tables yet'),
      )
      expect(received).toMatchObject({
        status: 503,
        body: { notReady: [{ name: 'read models', reason: expect.stringMatching(/^no tables yet of .*profiles.*role projectors$/) }] },
      })
      await expect.poll(() => api.output()).toContain('Tidings listens, and is not ready yet: read models: no tables yet of')
      expect(api.output()).not.toContain('Tidings is ready')
    } finally {
      await api.end('SIGTERM')
      await other.close()
      await empty.drop()
    }
  })

  it('and a relay that has nothing to relay to ends with one sentence', async () => {
    const ran = await runTidings(['start', 'relay'], { ...installation.env, TIDINGS_KAFKA_BROKERS: '' })
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toMatch(/^The role relay has work only with Kafka: set TIDINGS_KAFKA_BROKERS[^\n]*\.\n$/)
  })
})

describe('a process that is asked to stop', () => {
  it.each(['command-api', 'query-api', 'projectors', 'consumers'] as const)('%s drains and ends with 0', async (role) => {
    expect(await stack.end(role, 'SIGTERM')).toMatchObject({ code: 0, signal: null, stderr: '' })
    await stack.restart(role)
  })
})
