import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '@tidings/testing'
import { type PushService, startPushService } from '@tidings/testing/push-service'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Environment, freePort, type Ran, runTidings, type ServiceProcess, startProcess } from './support/service-process.ts'

const SHOP = `
workspace: { slug: shop, name: Shop }
templates: [{ name: ready, channel: push, push: { title: "Hi", body: "Your order is ready" } }]
customEvents: [{ name: order_ready }, { name: order_late }]
flows:
  - { name: Ready, trigger: { type: custom_event, event: order_ready }, steps: [{ send: { channel: push, template: ready } }] }
  - { name: Late, trigger: { type: custom_event, event: order_late }, steps: [{ send: { channel: push, template: ready } }] }`

const OTHER_KEY = 'ab'.repeat(32)

let folder: string
let service: ServiceProcess
let key: string
let pushes: PushService
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidings-backup-'))
  pushes = await startPushService()
  service = await startIn('data')
  key = /sk_evt_[0-9a-f]{64}/.exec(await untilWelcomed())?.[0] ?? ''
  const sent = await fetch(`${service.url}/api/v1/public/profiles`, {
    method: 'PUT',
    headers: headers(),
    body: '{"email":"ada@example.com"}',
  })
  if (sent.status !== 200) throw new Error(`the profile was answered ${sent.status}`)
})
afterAll(async () => {
  await service.end('SIGTERM')
  await pushes.stop()
  await rm(folder, { recursive: true })
})
/** Pushes leave, for a push service of this machine. */
const startIn = async (dataDir: string): Promise<ServiceProcess> =>
  startProcess({
    TIDINGS_DATA_DIR: inFolder(dataDir),
    TIDINGS_LOG_LEVEL: 'error',
    TIDINGS_PUSH_PROVIDER: 'web-push',
    TIDINGS_WEBHOOK_ALLOW_LOCAL: '1',
    PORT: String(await freePort()),
  })

const inFolder = (name: string): string => join(folder, name)
const headers = () => ({ 'X-Sender-Tenant': 'demo', 'X-API-Key': key, 'Content-Type': 'application/json' })
const untilWelcomed = async (): Promise<string> => {
  await until(() => expect(service.output()).toContain('sk_evt_'))
  return service.output()
}
/** A command with the data directory of this name. */
const tidings = (dataDir: string, args: readonly string[], env: Environment = {}): Promise<Ran> =>
  runTidings(args, { TIDINGS_DATA_DIR: inFolder(dataDir), ...env })
const newKey = async (dataDir: string, workspace: string): Promise<string> => {
  const { stdout } = await tidings(dataDir, ['api-key', 'create', '--workspace', workspace])
  return /sk_evt_[0-9a-f]{64}/.exec(stdout)?.[0] ?? ''
}
const emailThere = async (url: string): Promise<unknown> =>
  (await fetch(`${url}/api/v1/public/profiles/lookup?email=ada@example.com`, { headers: headers() })).json()

it('beside a running service the folder is whole, closed to others, and says that it holds the master key', async () => {
  const { code, stdout } = await tidings('data', ['backup', inFolder('backup')])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^Backed up [0-9]+ events as of .*\nIT HOLDS THE MASTER KEY: anyone who has .* can read everything in it\./)
  expect((await readdir(inFolder('backup'))).sort()).toEqual(['manifest.json', 'secrets', 'tables', 'tidings.yaml'])
  const modes = await Promise.all(
    ['', 'manifest.json', 'tidings.yaml', 'secrets/master.key'].map(async (name) => (await stat(inFolder(`backup/${name}`))).mode & 0o777),
  )
  expect(modes).toEqual([0o700, 0o600, 0o600, 0o600])
  expect(await readFile(inFolder('backup/secrets/master.key'))).toEqual(await readFile(inFolder('data/master.key')))
})

it('with the service stopped it works as well, and a restored data directory serves with the keys of before', async () => {
  const wanted = await until(async () => {
    const known = await emailThere(service.url)
    expect(known).toMatchObject({ data: { email: 'ada@example.com' } })
    return known
  })
  await service.end('SIGTERM')
  expect((await tidings('data', ['backup', inFolder('stopped'), '--json'])).code).toBe(0)
  expect((await tidings('restored', ['restore', inFolder('stopped'), '--json'])).code).toBe(0)
  service = await startIn('restored')
  expect(await emailThere(service.url)).toEqual(wanted)
})

it('a browser that subscribed before the backup gets pushes of the restored installation, under the same key', async () => {
  await writeFile(inFolder('shop.yaml'), SHOP)
  expect((await tidings('restored', ['apply', '-f', inFolder('shop.yaml')])).code).toBe(0)
  const shop = { ...headers(), 'X-Sender-Tenant': 'shop', 'X-API-Key': await newKey('restored', 'shop') }
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${service.url}/api/v1${path}`, { method: 'POST', headers: shop, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`)
    return (await answer.json()) as { data: { id: string } }
  }
  const { id } = (await post('/public/profiles', { email: 'grace@example.com' })).data
  await post('/push/subscriptions', { profileId: id, ...pushes.subscribe() })
  // An event that a contact sends again in the same minute is the same one.
  const pushed = async (event: string, count: number) => {
    await post('/events/ingest', { event, contactId: id })
    await until(() => expect(pushes.taken).toHaveLength(count))
  }
  await pushed('order_ready', 1)
  await service.end('SIGTERM')
  expect((await tidings('restored', ['backup', inFolder('of-shop')])).code).toBe(0)
  expect((await tidings('shop', ['restore', inFolder('of-shop')])).code).toBe(0)
  service = await startIn('shop')
  await pushed('order_late', 2)
  const [before, after] = pushes.taken.map(({ endpoint, vapid }) => [endpoint, vapid.key])
  expect(after).toEqual(before)
  expect(await readFile(inFolder('shop/vapid.key'))).toEqual(await readFile(inFolder('restored/vapid.key')))
})

it('an installation without a demo workspace has none after a restore either', async () => {
  const file = inFolder('acme.yaml')
  await writeFile(file, 'workspace: { slug: acme, name: Acme }')
  expect((await tidings('own', ['apply', '-f', file])).code).toBe(0)
  expect((await tidings('own', ['backup', inFolder('of-own')])).code).toBe(0)
  expect((await tidings('own-again', ['restore', inFolder('of-own')])).code).toBe(0)
  const restored = await startProcess({ TIDINGS_DATA_DIR: inFolder('own-again'), PORT: String(await freePort()) })
  await until(() => expect(restored.output()).toContain('Tidings is ready'))
  expect((await restored.end('SIGTERM')).code).toBe(0)
  expect(restored.output()).not.toContain('sk_evt_')
  expect((await tidings('own-again', ['workspace', 'show', 'demo'])).stderr).toContain('There is no workspace demo')
  expect((await tidings('own-again', ['workspace', 'show', 'acme'])).code).toBe(0)
})

it('a stranger’s master key is refused in one sentence that does not repeat it', async () => {
  const { code, stdout, stderr } = await tidings('unused', ['restore', inFolder('backup')], { TIDINGS_MASTER_KEY: OTHER_KEY })
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(
    /^TIDINGS_MASTER_KEY is not the key this backup was written under \([0-9a-f]{8}\): set it to the content of .*master\.key\.\n$/,
  )
  expect(stderr).not.toContain(OTHER_KEY)
  expect(await readdir(folder)).not.toContain('unused')
})

it('a data directory without its master key is refused by every command, is left as it is, and goes on when the key is back', async () => {
  const file = inFolder('own-again/master.key')
  const key = await readFile(file)
  await rm(file)
  const before = (await readdir(inFolder('own-again'))).sort()
  const missing =
    /This database was written under the master key [0-9a-f]{8}, which is not here \(there is no \S+own-again\/master\.key, TIDINGS_MASTER_KEY is not set\): put /
  for (const args of [['start'], ['workspace', 'show', 'acme'], ['master-key', 'rotate'], ['backup', inFolder('without-key')]]) {
    const { code, stderr } = await tidings('own-again', args, { PORT: String(await freePort()) })
    expect([args, code, stderr]).toEqual([args, 1, expect.stringMatching(missing)])
  }
  const doctor = await tidings('own-again', ['doctor', '--json'])
  expect(JSON.parse(doctor.stdout).items).toContainEqual({ check: 'stores', ok: false, said: expect.stringMatching(missing) })
  expect((await readdir(inFolder('own-again'))).sort()).toEqual(before)
  await writeFile(file, key)
  expect((await tidings('own-again', ['workspace', 'show', 'acme'])).code).toBe(0)
})

it('a backup of a data directory that is not there makes none', async () => {
  expect((await tidings('nowhere', ['backup', inFolder('nothing')])).stderr).toBe(
    `There is no data directory ${inFolder('nowhere')}: set TIDINGS_DATA_DIR to the one that Tidings runs on.\n`,
  )
  expect(await readdir(folder)).not.toContain('nowhere')
})
