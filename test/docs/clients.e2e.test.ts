import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { leftOut } from '@tidings/testing'
import openapiTypescript, { astToString } from 'openapi-typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blocksOf, ROOT, readPage } from './markdown.ts'
import { type StartedService, startTidings } from './service.ts'

const PAGE = 'docs/how-to/generate-a-client.md'
const PRINTED = 'demo\nsent\nfrom_domain_not_verified\n'
const VENV = `${ROOT}node_modules/.cache/python-client/bin`

const programOf = (language: string): string => {
  const programs = blocksOf(readPage(PAGE)).filter((block) => block.language === language)
  expect(programs).toHaveLength(1)
  return programs[0]?.text ?? ''
}

let service: StartedService
let folder: string
let env: NodeJS.ProcessEnv
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidings-clients-'))
  service = await startTidings({ TIDINGS_DASHBOARD: '0' })
  env = { ...process.env, TIDINGS_URL: service.url, TIDINGS_KEY: service.key }
})
afterAll(async () => {
  await service?.stop()
  await rm(folder, { recursive: true, force: true })
})

const run = async (program: string, args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<string> =>
  (await promisify(execFile)(program, args, { cwd: folder, env: { ...env, ...more }, maxBuffer: 1 << 24 })).stdout

it('a service without the dashboard prints no address of it, and takes no link', async () => {
  expect(service.output()).toContain('List the profiles')
  expect(service.output()).not.toMatch(/\/dashboard|\/dev\/mailbox/)
  const answer = await fetch(`${service.url}/api/v1/auth/link`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ token: 'A'.repeat(43) }),
  })
  expect(answer.status).toBe(404)
})

it('the generated TypeScript client compiles and sends the first email', async () => {
  await writeFile(join(folder, 'api.d.ts'), astToString(await openapiTypescript(new URL(`${service.url}/openapi.json`))))
  await writeFile(join(folder, 'first-email.mts'), programOf('ts'))
  await symlink(`${ROOT}test/node_modules`, join(folder, 'node_modules'))
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--noEmit', '--allowImportingTsExtensions']
  const types = ['--typeRoots', `${ROOT}node_modules/@types`, '--types', 'node']
  await run(process.execPath, [`${ROOT}node_modules/typescript/bin/tsc`, ...strict, ...types, '--module', 'nodenext', 'first-email.mts'])
  expect(await run(process.execPath, ['first-email.mts'])).toBe(PRINTED)
})

const installed = existsSync(join(VENV, 'openapi-python-client'))
const python = installed || leftOut('python-client', 'run test/docs/python-client/install.sh, which needs Python 3.')

describe.runIf(python)('the generated Python client', () => {
  it('sends the first email, and has a class for each schema and no other', async () => {
    const generate = ['generate', '--url', `${service.url}/openapi.json`, '--meta', 'none', '--output-path', 'tidings_client']
    // It formats what it wrote with the ruff that the PATH names.
    const said = await run(join(VENV, 'openapi-python-client'), generate, { PATH: `${VENV}:${process.env.PATH}` })
    expect(said).not.toMatch(/warning|error/i)
    await writeFile(join(folder, 'first_email.py'), programOf('python'))
    expect(await run(join(VENV, 'python'), ['first_email.py'])).toBe(PRINTED)

    const { components } = (await (await fetch(`${service.url}/openapi.json`)).json()) as Readonly<{ components: { schemas: object } }>
    const models = (await readdir(join(folder, 'tidings_client/models'))).filter((file) => file.endsWith('.py') && file !== '__init__.py')
    // Lists are no classes.
    expect(models.length).toBeLessThanOrEqual(Object.keys(components.schemas).length)
    expect(models.filter((file) => /response_\d|type_\d/.test(file))).toEqual([])
  })
})
