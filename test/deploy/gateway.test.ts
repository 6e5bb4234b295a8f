import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../e2e/support/eventually.ts'
import { freePort } from '../e2e/support/service-process.ts'
import { DEPLOY, linter, run } from './tools.ts'

const caddy = linter('caddy')
const FILE = `${DEPLOY}gateway/Caddyfile`

/** The file, with a longer time for a role to restart: these processes may stand still for some seconds. */
const patientFile = async (folder: string): Promise<string> => {
  const text = await readFile(FILE, 'utf8')
  const patient = text.replace('lb_try_duration 5s', 'lb_try_duration 60s')
  expect(patient).not.toBe(text)
  const file = join(folder, 'gateway.Caddyfile')
  await writeFile(file, patient)
  return file
}

type SeenRequest = Readonly<{ role: string; method: string; url: string; headers: IncomingHttpHeaders }>

/**
 * Stands for a role: answers with its name and what it was asked. It keeps no connection: a write that goes out on one which the role is just
 * closing may have been read, so the gateway rightly gives it up.
 */
const standIn = async (role: string): Promise<Server> => {
  const server = createServer(({ method = '', url = '', headers }, response) => {
    response.setHeader('Connection', 'close').end(JSON.stringify({ role, method, url, headers } satisfies SeenRequest))
  })
  // A port that no other takes while the role restarts.
  await once(server.listen(await freePort(), '127.0.0.1'), 'listening')
  return server
}
const portOf = (server: Server): string => String((server.address() as AddressInfo).port)

describe.runIf(caddy !== null)('the gateway', () => {
  let servers: readonly Server[]
  let gateway: ChildProcess
  let url: string
  let home: string
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'tidings-gateway-'))
    servers = await Promise.all([standIn('command-api'), standIn('query-api')])
    const [commands, queries] = servers.map(portOf)
    const port = String(await freePort())
    url = `http://127.0.0.1:${port}`
    const env = {
      // Caddy without a home keeps its files in the folder it is started from.
      HOME: home,
      GATEWAY_PORT: port,
      COMMAND_API_HOST: '127.0.0.1',
      COMMAND_API_PORT: commands,
      QUERY_API_HOST: '127.0.0.1',
      QUERY_API_PORT: queries,
    }
    gateway = spawn(caddy ?? '', ['run', '--config', await patientFile(home), '--adapter', 'caddyfile'], { env, stdio: 'ignore' })
    await eventually(
      () =>
        fetch(`${url}/gateway/health`).then(
          ({ status }) => status,
          () => null,
        ),
      (status) => status === 200,
    )
  })
  afterAll(async () => {
    gateway.kill('SIGTERM')
    await once(gateway, 'exit')
    for (const server of servers) server.close()
    await rm(home, { recursive: true, force: true })
  })

  const ask = async (method: string, path: string, headers: Readonly<Record<string, string>> = {}): Promise<SeenRequest> =>
    (await (await fetch(`${url}${path}`, { method, headers })).json()) as SeenRequest

  it('is a sound file', async () => {
    await expect(run(caddy ?? '', ['validate', '--config', FILE, '--adapter', 'caddyfile'])).resolves.toBeDefined()
  })

  it('keeps the callers that a proxy in front of it names, where a setting trusts that proxy', async () => {
    const trusted = async (env: NodeJS.ProcessEnv) => {
      const adapted = await run(caddy ?? '', ['adapt', '--config', FILE, '--adapter', 'caddyfile'], { ...process.env, ...env })
      return JSON.parse(adapted).apps.http.servers.srv0.trusted_proxies.ranges
    }
    expect(await trusted({})).toEqual(['0.0.0.0/32'])
    expect(await trusted({ GATEWAY_TRUSTED_PROXIES: '192.0.2.0/24 198.51.100.7/32' })).toEqual(['192.0.2.0/24', '198.51.100.7/32'])
  })

  it.each([
    ['GET', '/api/v1/public/me', 'query-api'],
    ['GET', '/api/v1/public/profiles?email=a%2Bb@example.com&limit=5', 'query-api'],
    ['GET', '/api/v1/push/public-key', 'query-api'],
    ['POST', '/api/v1/public/profiles', 'command-api'],
    ['PUT', '/api/v1/public/profiles', 'command-api'],
    ['PATCH', '/api/v1/public/profiles', 'command-api'],
    ['DELETE', '/api/v1/public/profiles/blacklist', 'command-api'],
    ['OPTIONS', '/api/v1/public/profiles', 'command-api'],
    ['POST', '/api/v1/push/public-key', 'command-api'],
    ['GET', '/o.gif?t=1', 'command-api'],
    ['GET', '/c?t=1', 'command-api'],
    ['POST', '/u?t=1', 'command-api'],
    ['GET', '/forms/embed.js', 'command-api'],
    ['GET', '/storefront/sdk.js', 'command-api'],
    ['GET', '/storefront/push-sw.js', 'command-api'],
    ['POST', '/forms/confirm?t=1', 'command-api'],
    ['POST', '/api/v1/forms/subscribe', 'command-api'],
    ['OPTIONS', '/api/v1/forms/subscribe', 'command-api'],
    ['GET', '/openapi.json', 'command-api'],
    ['POST', '/api/v1/providers/email/events', 'command-api'],
    ['GET', '/', 'command-api'],
  ])('%s %s goes to where it belongs, as it was asked', async (method, path, role) => {
    expect(await ask(method, path)).toMatchObject({ role, method, url: path })
  })

  it.each(['/metrics', '/health/ready', '/health/live', '/dev/outbox'])('%s is for operators, inside', async (path) => {
    expect((await fetch(`${url}${path}`)).status).toBe(404)
  })

  it('says who called, and takes it from no other header', async () => {
    const { headers } = await ask('GET', '/api/v1/public/me', { 'X-Forwarded-For': '203.0.113.9' })
    expect(headers['x-forwarded-for']).toBe('127.0.0.1')
  })

  it('holds a write while its role restarts', async () => {
    const [commands] = servers
    const port = Number(commands && portOf(commands))
    commands?.closeAllConnections()
    await new Promise((resolve) => commands?.close(resolve))
    const held = ask('POST', '/api/v1/public/profiles')
    // This request is behind it: when it is answered, the gateway has found no process to take the write.
    await ask('GET', '/api/v1/public/me')
    commands?.listen(port, '127.0.0.1')
    expect(await held).toMatchObject({ role: 'command-api', method: 'POST' })
  })
})
