import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blocksOf, ROOT, readPage } from '../docs/markdown.ts'
import { hasPython, PYTHON } from './python-driver.ts'

const programs = blocksOf(readPage('clients/python/README.md'))
  .filter(({ language }) => language === 'python')
  .map(({ text }) => text)

describe.runIf(hasPython)('the Python package', () => {
  let folder: string
  const run = async (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> => {
    const installed = { ...process.env, PYTHONPATH: join(folder, 'installed'), MYPYPATH: join(folder, 'installed'), ...env }
    return (await promisify(execFile)(PYTHON, args, { cwd: folder, env: installed })).stdout
  }
  const check = (...files: readonly string[]): Promise<string> =>
    run(['-m', 'mypy', '--strict', ...files]).catch((error: { stdout: string }) => error.stdout)

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidings-python-'))
    const pip = ['-m', 'pip', '--quiet', '--disable-pip-version-check']
    await run([...pip, 'wheel', '--no-deps', '--no-build-isolation', '--wheel-dir', '.', `${ROOT}clients/python`])
    const wheel = (await readdir(folder)).find((file) => file.endsWith('.whl')) ?? ''
    await run([...pip, 'install', '--no-deps', '--no-index', '--target', 'installed', wheel])
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('has its types, its programs and nothing else', async () => {
    const files = await readdir(join(folder, 'installed/tidings'), { recursive: true })
    expect(files.filter((file) => !/(?:\.py|py\.typed|__pycache__|\.pyc|_generated)$/.test(file))).toEqual([])
    expect(files).toEqual(expect.arrayContaining(['py.typed', '__init__.py', join('_generated', 'types.py')]))
  })

  it('is typed through and through, as are the programs of its README, and a wrong field is named', async () => {
    const [first = '', pages = '', receiver = ''] = programs
    await writeFile(join(folder, 'first.py'), `${first}${pages}${receiver}`)
    await writeFile(join(folder, 'wrong.py'), first.replace('fromEmail', 'fromMail'))
    const package_ = join(folder, 'installed/tidings')
    const marked = ['type_errors.py', 'python-driver.py'].map((file) => `${ROOT}test/clients/${file}`)
    expect(await check(package_, 'first.py', ...marked)).toMatch(/^Success: no issues found in \d+ source files\n$/)
    expect(await check('wrong.py')).toMatch(
      /wrong\.py:5: error: .*"fromEmail".*"SendEmailBody".*\n.*"fromMail"|"fromMail".*"SendEmailBody"/,
    )
  })

  it('sends a mail by the first program of its README, with the service behind a path', async () => {
    const asked: string[] = []
    const server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers['x-api-key']}`)
      const data = request.method === 'POST' ? { messageId: 'm-1' } : { status: 'sent' }
      response
        .writeHead(request.method === 'POST' ? 202 : 200, { 'Content-Type': 'application/json' })
        .end(JSON.stringify({ success: true, data }))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const env = { TIDINGS_URL: `http://127.0.0.1:${port}/tidings/`, TIDINGS_KEY: 'sk_evt_x' }
    expect(await run(['-c', programs[0] ?? ''], env)).toBe('sent\n')
    server.close()
    expect(asked).toEqual(['POST /tidings/api/v1/public/messages/email sk_evt_x', 'GET /tidings/api/v1/public/messages/m-1 sk_evt_x'])
  })
})
