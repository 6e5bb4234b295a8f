import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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
const refusal = ({ code, stdout, stderr }: Ran) => ({ code, stdout, stderr })

it('beside a running service the folder is whole, closed to others, and says that it holds the master key', async () => {
  const { code, stdout } = await tidings('data', ['backup', inFolder('backup')])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^Backed up [0-9]+ events as of .*\nIT HOLDS THE MASTER KEY: whoever has .* can read everything in it\./)
  expect((await readdir(inFolder('backup'))).sort()).toEqual(['manifest.json', 'secrets', 'tables', 'tidings.yaml'])
  const modes = await Promise.all(
    ['', 'manifest.json', 'tidings.yaml', 'secrets/master.key'].map(async (name) => (await stat(inFolder(`backup/${name}`))).mode & 0o777),
  )
  expect(modes).toEqual([0o700, 0o600, 0o600, 0o600])
  expect(await readFile(inFolder('backup/secrets/master.key'))).toEqual(await readFile(inFolder('data/master.key')))
})

it('with the service stopped it works as well, and a restored data directory serves with the keys of before', async () => {
  const wanted = await emailThere(service.url)
  expect(wanted).toMatchObject({ data: { email: 'ada@example.com' } })
  await service.end('SIGTERM')
  expect((await tidings('data', ['backup', inFolder('stopped'), '--json'])).code).toBe(0)
  expect((await tidings('restored', ['restore', inFolder('stopped'), '--json'])).code).toBe(0)
  service = await startProcess({ TIDINGS_DATA_DIR: inFolder('restored'), TIDINGS_LOG_LEVEL: 'error', PORT: String(await freePort()) })
  expect(await emailThere(service.url)).toEqual(wanted)
})

describe('a restore changes nothing and says why, when', () => {
  it.each([
    ['a file was changed', 'tables/es.event.copy.gz', 'is not what was backed up: the backup is damaged, use another one.'],
    [
      'the manifest was changed',
      'manifest.json',
      'is damaged, or was written by another version of Tidings: use that version, or another backup.',
    ],
  ])('%s', async (_, name, sentence) => {
    await cp(inFolder('backup'), inFolder(`damaged-${name.length}`), { recursive: true })
    const file = inFolder(`damaged-${name.length}/${name}`)
    const content = await readFile(file)
    content[content.length >> 1] = (content[content.length >> 1] ?? 0) ^ 0xff
    await writeFile(file, content)
    const ran = await tidings('unused', ['restore', inFolder(`damaged-${name.length}`)])
    expect(refusal(ran)).toEqual({ code: 1, stdout: '', stderr: `${file} ${sentence}\n` })
  })

  it('a file is missing', async () => {
    await cp(inFolder('backup'), inFolder('incomplete'), { recursive: true })
    await rm(inFolder('incomplete/tables/inbox.job.copy.gz'))
    expect((await tidings('unused', ['restore', inFolder('incomplete')])).stderr).toBe(
      `${inFolder('incomplete/tables/inbox.job.copy.gz')} cannot be read (ENOENT): the backup is damaged, use another one.\n`,
    )
  })

  it('the folder is no backup', async () => {
    expect((await tidings('unused', ['restore', folder])).stderr).toBe(
      `${folder} is not a backup of Tidings: there is no manifest.json in it.\n`,
    )
  })

  it('the master key is a stranger’s', async () => {
    const { code, stderr } = await tidings('unused', ['restore', inFolder('backup')], { TIDINGS_MASTER_KEY: OTHER_KEY })
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^TIDINGS_MASTER_KEY is not the key this backup was written under \([0-9a-f]{8}\): set it to the content of .*master\.key\.\n$/,
      ),
    ])
    expect(stderr).not.toContain(OTHER_KEY)
  })

  it('the data directory has another master key', async () => {
    await tidings('strange', ['migrate'])
    await writeFile(inFolder('strange/master.key'), OTHER_KEY)
    expect((await tidings('strange', ['restore', inFolder('backup')])).stderr).toMatch(
      /^.*strange\/master\.key is not the key this backup was written under/,
    )
  })

  it('the operator kept the master key and has not set it', async () => {
    const own = { TIDINGS_MASTER_KEY: OTHER_KEY }
    await tidings('own', ['migrate'], own)
    const { stdout } = await tidings('own', ['backup', inFolder('without-key')], own)
    expect(stdout).toContain('The master key is not in it, because you set TIDINGS_MASTER_KEY yourself')
    expect(await readdir(inFolder('without-key'))).not.toContain('secrets')
    expect((await tidings('unused', ['restore', inFolder('without-key')])).stderr).toBe(
      'The master key of this backup is not in it, because its operator kept it: set TIDINGS_MASTER_KEY to that key.\n',
    )
  })

  it('and the data directory that was refused six times can still be restored into', async () => {
    expect((await tidings('unused', ['restore', inFolder('backup')])).code).toBe(0)
  })
})

it('a backup is refused where there is nothing to back up, where something is in the way, and where the log is elsewhere', async () => {
  expect((await tidings('nowhere', ['backup', inFolder('nothing')])).stderr).toBe(
    `There is no data directory ${inFolder('nowhere')}: set TIDINGS_DATA_DIR to the one that Tidings runs on.\n`,
  )
  expect((await tidings('restored', ['backup', inFolder('backup')])).stderr).toBe(
    `${inFolder('backup')} is not empty: name a folder that does not exist yet.\n`,
  )
  const elsewhere = { TIDINGS_EVENT_STORE: 'esdb://127.0.0.1:1?tls=false' }
  expect((await tidings('restored', ['backup', inFolder('nothing')], elsewhere)).stderr).toMatch(
    /^The log is in EventStoreDB, which has no moment in common with Postgres: stop the service/,
  )
  expect((await tidings('unused', ['restore', inFolder('backup')], elsewhere)).stderr).toMatch(
    /^A backup is restored into Postgres alone: unset TIDINGS_EVENT_STORE/,
  )
})
