import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

let root: string
const at = (path: string): string => join(root, path)
const put = async (path: string, text: string): Promise<void> => {
  await mkdir(dirname(at(path)), { recursive: true })
  await writeFile(at(path), text)
}

/** A tree of its own: the programs that make and keep pages, and a dashboard of one line. */
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), `tidings-test-${process.pid}-`)))
  await cp(join(ROOT, 'packages/cli/bin'), at('packages/cli/bin'), { recursive: true })
  await put('dashboard/build.mjs', await readFile(join(ROOT, 'dashboard/build.mjs'), 'utf8'))
  await put('dashboard/index.html', '<!doctype html><script type="module" src="/src/main.tsx"></script>')
  await put('dashboard/src/main.tsx', "import { word } from '../src/word.ts'\ndocument.title = word satisfies string\n")
  await put('dashboard/src/word.ts', "export const word = 'hello'\n")
  await put('pnpm-lock.yaml', '')
  await mkdir(at('dashboard/node_modules'))
  await symlink(await realpath(join(ROOT, 'dashboard/node_modules/vite')), at('dashboard/node_modules/vite'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

const make = (env: Readonly<Record<string, string>> = {}) =>
  promisify(execFile)(process.execPath, [at('dashboard/build.mjs')], { env: { PATH: process.env.PATH, ...env } })

type PagesRecord = Readonly<{ main: string; state: string; files: readonly string[] }>
const CACHE = 'node_modules/.cache/tidings'
const made = async (): Promise<PagesRecord> => JSON.parse(await readFile(at(`${CACHE}/dashboard.json`), 'utf8'))
const folders = async () => (await readdir(at(CACHE))).filter((name) => name.startsWith('dashboard-'))

/** What the script of the page says, by its name in the page. */
async function scriptOf(record: PagesRecord): Promise<string> {
  const index = await readFile(at(`${CACHE}/${record.main}`), 'utf8')
  const [, name = ''] = /src="\.\/assets\/([^"]+)"/.exec(index) ?? []
  return readFile(at(`${CACHE}/${dirname(record.main)}/assets/${name}`), 'utf8')
}

it('makes pages, does nothing while they are current, and makes them anew when a source changes', async () => {
  await make()
  const first = await made()
  expect(await scriptOf(first)).toContain('hello')
  expect(first.files).toEqual(expect.arrayContaining(['pnpm-lock.yaml', 'dashboard/index.html', 'dashboard/src/word.ts']))
  const written = await stat(at(`${CACHE}/dashboard.json`))
  await make()
  expect((await stat(at(`${CACHE}/dashboard.json`))).ino).toBe(written.ino)
  await put('dashboard/src/word.ts', "export const word = 'goodbye'\n")
  await make()
  expect(await scriptOf(await made())).toContain('goodbye')
  expect(await folders()).toHaveLength(2)
})

it('says one sentence where a source is broken, and leaves the last pages as they are', async () => {
  await make()
  const before = await made()
  await put('dashboard/src/word.ts', 'export const word = \n')
  const { stderr, stdout } = await make()
  expect(stderr).toMatch(/^The dashboard could not be made, so the service starts without its pages: [^\n]+\n$/)
  expect(stdout).toBe('')
  expect(await made()).toEqual(before)
})

it('says one sentence where what it is made of is not installed, and nothing where the dashboard is switched off', async () => {
  await rm(at('dashboard/node_modules'), { recursive: true })
  expect((await make()).stderr).toBe(
    'The dashboard could not be made, so the service starts without its pages: what it is made of is not installed.\n',
  )
  expect((await make({ TIDINGS_DASHBOARD: '0' })).stderr).toBe('')
})

it('publishes the same where two make it at once', async () => {
  const both = await Promise.all([make(), make()])
  expect(both.map(({ stderr }) => stderr)).toEqual(['', ''])
  expect(await folders()).toHaveLength(1)
  expect(await scriptOf(await made())).toContain('hello')
})

const KB = 1_024

it('makes a first page of at most 250 KB', async () => {
  const folder = at('fixed')
  await promisify(execFile)(process.execPath, [join(ROOT, 'dashboard/build.mjs'), '--fixed', folder])
  const index = await readFile(join(folder, 'index.html'), 'utf8')
  const names = [...index.matchAll(/"\.\/(assets\/[^"]+\.(?:js|css))"/g)].map(([, name = '']) => name)
  expect(names.length).toBeGreaterThan(1)
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, `${name}.gz`))).size))
  expect(sizes.reduce((sum, size) => sum + size, index.length)).toBeLessThan(250 * KB)
})
