import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, realpath, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, it } from 'vitest'

const BIN = join(import.meta.dirname, '../bin')
const ROLLDOWN = join(dirname(createRequire(import.meta.url).resolve('rolldown/package.json')))

const WHEN = new Date('2026-01-01')

let root: string
const at = (path: string) => join(root, path)
const put = async (path: string, text: string): Promise<void> => {
  await mkdir(dirname(at(path)), { recursive: true })
  await writeFile(at(path), text)
}

/** A tree of its own: the programs of `bin`, one source, and one library that stays outside. */
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), `tidings-test-${process.pid}-`)))
  await cp(BIN, at('packages/cli/bin'), { recursive: true })
  await put('packages/cli/package.json', '{ "name": "@tidings/cli", "type": "module" }')
  await put(
    'packages/cli/src/main.ts',
    "import { word } from 'words'\nconsole.log(word satisfies string, import.meta.filename ?? 'bundled')\n",
  )
  await put('node_modules/words/package.json', '{ "name": "words", "type": "module", "exports": "./index.js" }')
  await put('node_modules/words/index.js', "export const word = 'hello'\n")
  await put('pnpm-lock.yaml', '')
  await symlink(ROLLDOWN, at('node_modules/rolldown'))
  await make()
})
afterEach(() => rm(root, { recursive: true, force: true }))

const FAILING = `
type Unused = Readonly<{ stripped: string }>

class Inner {
  method(): never {
    throw new Error('inner')
  }
}
function fail(unused: Unused | null): void {
  try {
    new Inner().method()
  } catch (cause) {
    throw new TypeError('outer', { cause })
  }
}
fail(null)
`

const node = async (...args: readonly string[]): Promise<string> =>
  (await promisify(execFile)(process.execPath, args, { env: { PATH: process.env.PATH } })).stdout.trim()
const make = () => node(at('packages/cli/bin/bundle.mjs'))
const run = () => node(at('packages/cli/bin/tidings.mjs'))
const current = () =>
  node('-e', `import(${JSON.stringify(at('packages/cli/bin/current-bundle.mjs'))}).then((it) => console.log(it.currentBundle()))`)

it('runs what it made until a source changes, and then the source', async () => {
  const first = await current()
  expect(first).toContain('bundle-')
  expect(await run()).toBe(`hello ${first}`)
  await put('packages/cli/src/main.ts', "console.log('changed')\n")
  expect(await current()).toBe('null')
  expect(await run()).toBe('changed')
  await utimes(at('packages/cli/src/main.ts'), WHEN, WHEN)
  await make()
  expect(await current()).not.toBe(first)
  expect(await run()).toBe('changed')
  await put('packages/cli/src/main.ts', "console.log('CHANGED')\n")
  await utimes(at('packages/cli/src/main.ts'), WHEN, WHEN)
  expect(await current()).toBe('null')
})

it('names the lines of the sources in a stack trace, also of a cause and of an error that ends the process', async () => {
  const text = (await readFile(at('packages/cli/src/main.ts'), 'utf8')) + FAILING
  await put('packages/cli/src/main.ts', text)
  await make()
  expect(await current()).toContain('bundle-')
  const { stderr } = (await run().catch((error: unknown) => error)) as { stderr: string }
  const lines = text.split('\n')
  const line = (part: string): number => lines.findIndex((one) => one.includes(part)) + 1
  expect(stderr).toMatch(/^TypeError: outer$/m)
  expect(stderr).toContain(`    at fail (${at('packages/cli/src/main.ts')}:${line("new TypeError('outer'")}:`)
  expect(stderr).toMatch(/\[cause\]: Error: inner/)
  expect(stderr).toContain(`at Inner.method (${at('packages/cli/src/main.ts')}:${line("new Error('inner')")}:`)
  expect(stderr).not.toMatch(/^ +at .*\.cache/m)
})

it('is out of date when a library that it names lies elsewhere, and made anew finds it there', async () => {
  await mkdir(at('packages/cli/node_modules'))
  await rename(at('node_modules/words'), at('packages/cli/node_modules/words'))
  expect(await current()).toBe('null')
  expect(await run()).toBe(`hello ${at('packages/cli/src/main.ts')}`)
  await make()
  expect(await run()).toBe(`hello ${await current()}`)
})
