import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findRunning } from '@tidings/postgres/embedded'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Client, clientOf } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { freePort, launchProcess, rolesCommand, runTidings, type ServiceProcess, startProcess } from './support/service-process.ts'

let dataDir: string
let env: Readonly<Record<string, string>>
let whole: ServiceProcess
let reader: ServiceProcess
let writing: Client
let reading: Client

const start = async (...roles: readonly string[]): Promise<ServiceProcess> => {
  const settings = { ...env, PORT: String(await freePort()) }
  const service = launchProcess(settings, roles.length === 0 ? undefined : rolesCommand(roles))
  await service.ready()
  return service
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), `tidings-test-${process.pid}-`))
  env = { TIDINGS_DATA_DIR: dataDir, TIDINGS_LOG_LEVEL: 'error' }
  whole = await startProcess({ ...env, PORT: String(await freePort()) })
  const { stdout } = await runTidings(
    ['apply', '-f', '-', '--json'],
    env,
    'workspace: { slug: acme, name: acme }\napiKeys: [{ name: test }]',
  )
  const applied = JSON.parse(stdout)
  reader = await start('query-api')
  writing = clientOf({ url: whole.url, applied })
  reading = clientOf({ url: reader.url, applied })
})
afterAll(async () => {
  await whole.end('SIGTERM')
  await reader.end('SIGTERM')
  await rm(dataDir, { recursive: true, force: true })
})

const create = async (email: string): Promise<string> => {
  const { status, body } = await writing.request('POST', '/public/profiles', { email })
  expect(status).toBe(201)
  return (body.data as { id: string }).id
}
const statusOf = async (id: string): Promise<number> => (await reading.request('GET', `/public/profiles/${id}`)).status
/** A write waits two seconds for the reads of a busy machine (M2). */
const isRead = (id: string) =>
  eventually(
    () => statusOf(id),
    (status) => status === 200,
  )

const ready = async () => {
  const answer = await fetch(`${reader.url}/health/ready`)
  return { status: answer.status, received: await answer.text() }
}

it('a process that reads beside `tidings start` shows what that one wrote', async () => {
  await isRead(await create('ada@example.com'))
})

it('a second process that wants all roles is refused in one sentence, named or not', async () => {
  for (const roles of [[], ['command-api', 'query-api', 'projectors', 'consumers', 'relay']]) {
    const ran = await runTidings(['start', ...roles], { ...env, PORT: '0', TIDINGS_KAFKA_BROKERS: '127.0.0.1:1' })
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toMatch(/^Another Tidings \(process \d+\) already runs on [^\n]*\.\n$/)
  }
})

it.each(['SIGKILL', 'SIGTERM'] as const)(
  'it goes on when that one ends by %s, and shows what is written after the next start',
  async (signal) => {
    const before = await create(`before-${signal}@example.com`)
    await isRead(before)
    await whole.end(signal)
    expect(await statusOf(before)).toBe(200)
    // Its reads go on, and no process brings them up to date.
    await eventually(ready, ({ status, received }) => status === 503 && received.includes('followed by no live process'))
    expect(await statusOf(before)).toBe(200)
    whole = await startProcess({ ...env, PORT: new URL(whole.url).port })
    await eventually(
      async () => statusOf(await create(`after-${signal}-${Math.random()}@example.com`)),
      (status) => status === 200,
    )
    await eventually(ready, ({ status }) => status === 200)
  },
)

it('the database ends with the last of them', async () => {
  await whole.end('SIGTERM')
  expect(await findRunning(dataDir)).not.toBeNull()
  expect(await reader.end('SIGTERM')).toMatchObject({ code: 0, stderr: '' })
  expect(await findRunning(dataDir)).toBeNull()
})
