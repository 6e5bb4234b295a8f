import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
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

/** An installer that has no way to the packages of the dashboard; it notes what it was asked for. */
const NPX = `#!/bin/sh
echo "$*" >> "$ASKED"
case "$*" in *dashboard*) exit 1 ;; esac
`

test('a start whose dashboard cannot be installed goes on without it, says so once, and tries again when it is asked to', async () => {
  const tree = await mkdtemp(join(tmpdir(), 'tidings-install-'))
  try {
    const place = async (name: string, text: string) => {
      await mkdir(dirname(join(tree, name)), { recursive: true })
      await writeFile(join(tree, name), text, { mode: 0o755 })
    }
    await place('bin/npx', NPX)
    await place('asked', '')
    for (const name of ['pnpm-lock.yaml', 'pnpm-workspace.yaml']) await place(name, '')
    await mkdir(dirname(join(tree, LAUNCHER)), { recursive: true })
    await copyFile(OURS, join(tree, LAUNCHER))
    const env = { ...process.env, TIDINGS_DASHBOARD: '1', ASKED: join(tree, 'asked'), PATH: `${join(tree, 'bin')}:${process.env.PATH}` }
    const start = async (...args: readonly string[]) => {
      const before = (await readFile(env.ASKED, 'utf8')).length
      const { stderr } = await promisify(execFile)(process.execPath, [join(tree, LAUNCHER), ...args], { env })
      const asked = (await readFile(env.ASKED, 'utf8')).slice(before).trim().split('\n')
      return { stderr, asked: asked.filter((line) => line !== '').map((line) => line.includes('@tidings/dashboard')) }
    }
    const sentence = expect.stringMatching(/^What the dashboard is made of could not be installed/)
    expect(await start()).toEqual({ stderr: sentence, asked: [true, false] })
    expect(await start()).toEqual({ stderr: '', asked: [] })
    expect(await start('pages')).toEqual({ stderr: sentence, asked: [true, false] })
  } finally {
    await rm(tree, { recursive: true, force: true })
  }
})
