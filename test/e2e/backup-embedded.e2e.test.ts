import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '@tidings/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Environment, freePort, type Ran, runTidings, type ServiceProcess, startProcess } from './support/service-process.ts'

const OTHER_KEY = 'ab'.repeat(32)

let folder: string
let service: ServiceProcess
let key: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidings-backup-'))
  service = await startProcess({ TIDINGS_DATA_DIR: inFolder('data'), TIDINGS_LOG_LEVEL: 'error', PORT: String(await freePort()) })
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
  await rm(folder, { recursive: true })
})

const inFolder = (name: string): string => join(folder, name)
const headers = () => ({ 'X-Sender-Tenant': 'demo', 'X-API-Key': key, 'Content-Type': 'application/json' })
const untilWelcomed = async (): Promise<string> => {
  while (!service.output().includes('sk_evt_')) await new Promise((resolve) => setImmediate(resolve))
  return service.output()
}
/** A command with the data directory of this name. */
const tidings = (dataDir: string, args: readonly string[], env: Environment = {}): Promise<Ran> =>
  runTidings(args, { TIDINGS_DATA_DIR: inFolder(dataDir), ...env })
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

it('with the service stopped it works as well, and a restored data directory serves with the keys of before', {
  timeout: 60_000,
}, async () => {
  const wanted = await emailThere(service.url)
  expect(wanted).toMatchObject({ data: { email: 'ada@example.com' } })
  await service.end('SIGTERM')
  expect((await tidings('data', ['backup', inFolder('stopped'), '--json'])).code).toBe(0)
  expect((await tidings('restored', ['restore', inFolder('stopped'), '--json'])).code).toBe(0)
  service = await startProcess({ TIDINGS_DATA_DIR: inFolder('restored'), TIDINGS_LOG_LEVEL: 'error', PORT: String(await freePort()) })
  expect(await emailThere(service.url)).toEqual(wanted)
})

it('an installation without a demo workspace has none after a restore either', { timeout: 180_000 }, async () => {
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
})

it('a backup of a data directory that is not there makes none', async () => {
  expect((await tidings('nowhere', ['backup', inFolder('nothing')])).stderr).toBe(
    `There is no data directory ${inFolder('nowhere')}: set TIDINGS_DATA_DIR to the one that Tidings runs on.\n`,
  )
  expect(await readdir(folder)).not.toContain('nowhere')
})
