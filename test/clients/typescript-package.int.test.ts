import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { blocksOf, ROOT, readPage } from '../docs/markdown.ts'

const PACKAGE = `${ROOT}clients/typescript`
const [firstMail = '', , receiver = ''] = blocksOf(readPage('clients/typescript/README.md'))
  .filter(({ language }) => language === 'ts')
  .map(({ text }) => text)

let folder: string
const run = async (program: string, args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<string> =>
  (await promisify(execFile)(program, args, { cwd: folder, env: { ...process.env, ...more } })).stdout

/** What a user installs: the packed file, and the one dependency that it names. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidings-client-'))
  const packed = await promisify(execFile)('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: PACKAGE })
  const installed = join(folder, 'node_modules/@tidings/client')
  await mkdir(installed, { recursive: true })
  await run('tar', ['-xzf', packed.stdout.trim().split('\n').at(-1) ?? '', '--strip-components=1', '-C', installed])
  const { dependencies } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as { dependencies: Record<string, string> }
  for (const name of Object.keys(dependencies)) await symlink(`${PACKAGE}/node_modules/${name}`, join(folder, 'node_modules', name))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** What the compiler says of files beside the package. */
const compile = async (...files: readonly string[]): Promise<string> => {
  const strict = [
    '--strict',
    '--exactOptionalPropertyTypes',
    '--noUncheckedIndexedAccess',
    '--noEmit',
    '--target',
    'es2022',
    '--skipLibCheck',
  ]
  const types = ['--typeRoots', `${ROOT}node_modules/@types`, '--types', 'node', '--module', 'nodenext']
  const compiler = `${ROOT}node_modules/typescript/bin/tsc`
  return await run(process.execPath, [compiler, ...strict, ...types, ...files]).catch((error: { stdout: string }) => error.stdout)
}

it('the package has its types, its programs and nothing else', async () => {
  const files = await readdir(join(folder, 'node_modules/@tidings/client'), { recursive: true })
  expect(
    files.filter((file) => !/^(?:dist|dist\/generated|package\.json|README\.md|dist\/(?:generated\/)?[\w-]+\.(?:js|d\.ts))$/.test(file)),
  ).toEqual([])
  expect(files).toEqual(expect.arrayContaining(['dist/index.js', 'dist/index.d.ts']))
})

it('the programs of its README compile, and a wrong field does not: the compiler names the right one', async () => {
  await writeFile(join(folder, 'first.mts'), firstMail)
  await writeFile(join(folder, 'receiver.mts'), receiver)
  await writeFile(join(folder, 'wrong.mts'), firstMail.replace('fromEmail', 'fromMail'))
  const said = (await compile('first.mts', 'receiver.mts', 'wrong.mts')).trim().split('\n')
  expect(said).toEqual([
    expect.stringMatching(/^wrong\.mts.*TS2561: .*'fromMail' does not exist in type .*Did you mean to write 'fromEmail'\?$/),
  ])
})

it('the first program sends a mail, with the service behind a path', async () => {
  await writeFile(join(folder, 'first.mts'), firstMail)
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers['x-api-key']}`)
    const data = request.method === 'POST' ? { messageId: 'm-1' } : { status: 'sent' }
    response
      .writeHead(request.method === 'POST' ? 202 : 200, { 'Content-Type': 'application/json' })
      .end(JSON.stringify({ success: true, data }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const said = await run(process.execPath, ['first.mts'], { TIDINGS_URL: `http://127.0.0.1:${port}/tidings/`, TIDINGS_KEY: 'sk_evt_x' })
  server.close()
  expect(said).toBe('sent\n')
  expect(asked).toEqual(['POST /tidings/api/v1/public/messages/email sk_evt_x', 'GET /tidings/api/v1/public/messages/m-1 sk_evt_x'])
})
