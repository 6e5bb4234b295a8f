import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Plant, plants, scenery, sound } from './plants.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const ROOTS = ['domain', 'packages', 'command-api', 'query-api', 'dashboard-api', 'projectors', 'consumers', 'clients', 'dashboard', 'test']
const files = [...plants, ...sound, ...scenery]
const DEPENDENCIES = ['kysely', 'kafkajs', 'imapflow', 'nodemailer', 'smpp', '@eventstore/db-client', '@opentelemetry/sdk-trace']

let tree: string
let reported: readonly Readonly<{ from: string; rule: string }>[]
let rules: readonly Readonly<{ name: string; comment: string }>[]

/** What `depcruise --output-type json` says, as far as it is read here. */
type Cruised = Readonly<{
  summary: { violations: readonly { from: string; rule: { name: string } }[]; ruleSetUsed: { forbidden: typeof rules } }
}>

beforeAll(async () => {
  tree = await mkdtemp(join(tmpdir(), 'tidings-arrows-'))
  await write('tsconfig.json', JSON.stringify({ compilerOptions: { module: 'NodeNext', allowImportingTsExtensions: true, noEmit: true } }))
  const development = { 'fast-check': '1.0.0' }
  await write(
    'package.json',
    JSON.stringify({ dependencies: Object.fromEntries(DEPENDENCIES.map((name) => [name, '1.0.0'])), devDependencies: development }),
  )
  for (const name of [...DEPENDENCIES, 'fast-check', 'undeclared']) {
    await write(`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', main: 'index.js' }))
    await write(`node_modules/${name}/index.js`, 'module.exports = {}')
  }
  for (const plant of files) await plantFile(plant)
  const { summary } = await cruise()
  reported = summary.violations.map(({ from, rule }) => ({ from, rule: rule.name }))
  rules = summary.ruleSetUsed.forbidden
})

afterAll(() => rm(tree, { recursive: true }))

async function write(file: string, content: string): Promise<void> {
  await mkdir(dirname(join(tree, file)), { recursive: true })
  await writeFile(join(tree, file), content)
}

/** Writes the file and, unless it is planted itself, an empty one that it can import. */
async function plantFile({ file, imports }: Plant): Promise<void> {
  const inTree = imports.endsWith('.ts')
  const path = relative(dirname(file), imports)
  await write(file, `export * from '${inTree ? (path.startsWith('.') ? path : `./${path}`) : imports}'\n`)
  if (inTree && !files.some((other) => other.file === imports)) await write(imports, 'export const nothing = 0\n')
}

async function cruise(): Promise<Cruised> {
  const args = ['--config', join(ROOT, '.dependency-cruiser.mjs'), '--output-type', 'json', ...ROOTS]
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  // Violations are its exit code; what counts is whether it reported.
  execFile(join(ROOT, 'node_modules/.bin/depcruise'), args, { cwd: tree, maxBuffer: 1 << 26 }, (error, stdout) =>
    stdout === '' ? reject(error) : resolve(stdout),
  )
  return JSON.parse(await promise)
}

test.each(plants)('$rule reports $file when it imports $imports', ({ rule, file }) => {
  expect(reported).toContainEqual({ from: file, rule })
})

test('what keeps the rules is not reported', () => {
  const broken = reported.filter(({ from }) => sound.some(({ file }) => file === from))
  expect(broken).toEqual([])
})

test('every rule has a sentence that says why, and a planted breach here', () => {
  const named = rules.filter(({ name }) => name !== 'cli-imports-downward')
  expect(named.filter(({ comment }) => !/^[A-Za-z].+\.$/.test(comment))).toEqual([])
  expect(named.map(({ name }) => name).filter((name) => !plants.some((plant) => plant.rule === name))).toEqual([])
})
