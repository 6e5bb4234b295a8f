import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

const LAUNCHER = 'packages/cli/bin/install.mjs'
const OURS = join(import.meta.dirname, '../../..', LAUNCHER)

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidings-install-'))
  await mkdir(dirname(join(folder, LAUNCHER)), { recursive: true })
  await copyFile(OURS, join(folder, LAUNCHER))
  const files = {
    'package.json': '{ "name": "empty", "private": true }',
    'packages/cli/package.json': '{ "name": "@tidings/cli", "private": true }',
    'pnpm-workspace.yaml': 'packages:\n  - packages/*\n',
    'pnpm-lock.yaml': "lockfileVersion: '9.0'\n\nimporters:\n\n  .: {}\n\n  packages/cli: {}\n",
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const install = (env: Readonly<Record<string, string>> = {}) =>
  promisify(execFile)(process.execPath, [join(folder, LAUNCHER)], { env: { ...process.env, ...env } })

test('an installation that has to do something asks no registry for the installer that this machine has', async () => {
  await install()
  await writeFile(join(folder, 'pnpm-workspace.yaml'), 'packages:\n  - packages/*\n# changed\n')
  const asked: string[] = []
  const proxy = createServer().on('connect', (request, socket) => {
    asked.push(request.url ?? '')
    socket.destroy()
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  const { port } = proxy.address() as AddressInfo
  const address = `http://127.0.0.1:${port}`
  try {
    await install({ npm_config_https_proxy: address, npm_config_proxy: address, HTTPS_PROXY: address, HTTP_PROXY: address })
  } finally {
    proxy.close()
  }
  expect(asked).toEqual([])
})
