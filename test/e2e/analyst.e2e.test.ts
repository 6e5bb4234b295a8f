import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { asWorkspaceId } from '@tidings/domain'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countDeliveries, countFunnel, countOptIns } from './support/analyst-counts.ts'
import { workloadOf } from './support/analyst-workload.ts'
import { appendToLog, type Written } from './support/append-to-log.ts'
import { type Installation, install } from './support/installation.ts'
import { runTidings } from './support/service-process.ts'
import { typeErrorsOf } from './support/type-errors.ts'

const ROOT = join(import.meta.dirname, '../..')
const SCRIPT = join(ROOT, 'deploy/build-analyst-package.mjs')
const example = (name: string): string => join(ROOT, `docs/examples/projections/${name}.projection.ts`)

let database: TestDatabase
let installation: Installation
let all: readonly Written[]
let ofAcme: readonly Written[]
const folder = mkdtempSync(join(tmpdir(), 'tidings-analyst-'))

beforeAll(async () => {
  database = await testDatabase()
  installation = await install(database.url)
  const ids = []
  for (const slug of ['acme', 'globex']) {
    const applied = (await installation.tidings(['apply', '-f', '-'], `workspace: { slug: ${slug}, name: ${slug} }`)) as {
      workspace: { id: string }
    }
    ids.push(applied.workspace.id)
  }
  ofAcme = workloadOf(asWorkspaceId(ids[0] ?? ''), 60, 1)
  all = [...ofAcme, ...workloadOf(asWorkspaceId(ids[1] ?? ''), 40, 2)]
  await appendToLog(installation.env, all)
}, 600_000)
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await installation.close()
  await database.drop()
})

const run = (...args: readonly string[]) => installation.tidings(['projection', 'run', ...args])
const rowsIn = async (table: string): Promise<readonly object[]> =>
  ((await installation.tidings(['projection', 'rows', table, '--limit', '10000'])) as { items: readonly object[] }).items
/** Values of a row in the order of its columns: JSON in Postgres has an order of its own. */
const sorted = (rows: readonly object[], like: readonly object[]): readonly object[] => {
  const columns = Object.keys(like[0] ?? {})
  const inOrder = rows.map((row) => Object.fromEntries(columns.map((column) => [column, Reflect.get(row, column)])))
  return inOrder.toSorted((a, b) => (JSON.stringify(Object.values(a)) < JSON.stringify(Object.values(b)) ? -1 : 1))
}
const ofHour = (row: object): object => ({ ...row, hour: new Date(String(Reflect.get(row, 'hour'))).toISOString() })
const timeout = { timeout: 600_000 }

describe('the examples find what a naive count over the same events finds', () => {
  it('opt-ins and opt-outs per day and source, of all workspaces and of one', timeout, async () => {
    const expected = countOptIns(all)
    expect(expected.length).toBeGreaterThan(50)
    expect(await run(example('opt-ins'))).toEqual({
      events: all.flatMap(({ events }) => events).filter(({ event }) => event.type === 'ContactConsentRecorded').length,
      from: '00000000000000000000',
      to: expect.stringMatching(/^\d{20}/),
      schema: 'analyst_opt_ins',
      tables: ['opt_ins_per_day'],
    })
    expect(sorted(await rowsIn('analyst_opt_ins.opt_ins_per_day'), expected)).toEqual(expected)
    await run(example('opt-ins'), '--schema', 'of_acme', '--workspace', 'acme')
    const ours = countOptIns(ofAcme)
    expect(sorted(await rowsIn('of_acme.opt_ins_per_day'), ours)).toEqual(ours)
  })

  it('deliverability per domain and hour, with --personal and without', timeout, async () => {
    const expected = countDeliveries(all, true)
    expect(new Set(expected.map((row) => Reflect.get(row, 'domain')))).toEqual(new Set(['gmail.example', 'yahoo.example', 'corp.example']))
    await run(example('deliverability'), '--personal')
    expect(sorted((await rowsIn('analyst_deliverability.deliverability_per_hour')).map(ofHour), expected)).toEqual(expected)
    await run(example('deliverability'), '--schema', 'without')
    const without = countDeliveries(all, false)
    expect(sorted((await rowsIn('without.deliverability_per_hour')).map(ofHour), without)).toEqual(without)
  })

  it('the funnel from event to open to click', timeout, async () => {
    const expected = countFunnel(all)
    expect(expected).toHaveLength(4)
    expect(expected.every((row) => Number(Reflect.get(row, 'clicked')) > 0)).toBe(true)
    expect(await run(example('funnel'))).toMatchObject({ tables: ['done', 'engaged', 'funnel'] })
    expect(sorted(await rowsIn('analyst_funnel.funnel'), expected)).toEqual(expected)
  })
})

describe('a file outside the checkout', () => {
  /** What a program prints that runs in the folder. */
  const inPlace = async (program: string, ...args: readonly string[]): Promise<string> =>
    (await promisify(execFile)(program, args, { cwd: folder })).stdout
  const inFolder = async (...args: readonly string[]) => {
    const child = spawn(process.execPath, [join(ROOT, 'packages/cli/bin/tidings.mjs'), ...args], {
      cwd: folder,
      env: { PATH: process.env.PATH, ...installation.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const said = { stdout: '', stderr: '' }
    for (const stream of ['stdout', 'stderr'] as const)
      child[stream].setEncoding('utf8').on('data', (text: string) => {
        said[stream] += text
      })
    const [code] = await once(child, 'close')
    return { code, ...said }
  }

  it('is written by `projection new`, once, and runs', timeout, async () => {
    const { stdout, ...said } = await inFolder('projection', 'new', 'first-look')
    expect(said).toEqual({ code: 0, stderr: '' })
    const [first, types] = stdout.trim().split('\n')
    expect(first).toBe('Wrote first-look.projection.ts. Run it with: tidings projection run first-look.projection.ts')
    expect(types).toBe(`For its types in an editor: node ${SCRIPT} tidings-analyst && npm install ./tidings-analyst`)
    const written = readFileSync(join(folder, 'first-look.projection.ts'), 'utf8')
    expect(await inFolder('projection', 'new', 'first-look')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is there already'),
    })
    expect(readFileSync(join(folder, 'first-look.projection.ts'), 'utf8')).toBe(written)
    expect(typeErrorsOf(ROOT, join(ROOT, 'first-look.projection.ts'), written)).toEqual([])
    const personal = written.replace('event.data.source', 'event.data.email')
    expect(typeErrorsOf(ROOT, join(ROOT, 'first-look.projection.ts'), personal).join()).toContain("Property 'email' does not exist")
    const ran = await inFolder('projection', 'run', 'first-look.projection.ts', '--json')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(ran.stdout)).toMatchObject({ schema: 'analyst_first_look', tables: ['contacts_per_day'] })
  })

  it('is checked with its types once the packed package is installed, and runs as before', timeout, async () => {
    await inPlace(process.execPath, SCRIPT, 'tidings-analyst')
    const packed = (await inPlace('npm', 'pack', '--silent', './tidings-analyst')).trim()
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    await inPlace('npm', 'install', '--offline', '--no-audit', '--no-fund', `./${packed}`)
    expect((await inFolder('projection', 'new', 'typed')).stdout).toBe(
      'Wrote typed.projection.ts. Run it with: tidings projection run typed.projection.ts\n',
    )
    const written = readFileSync(join(folder, 'typed.projection.ts'), 'utf8')
    writeFileSync(join(folder, 'wrong.projection.ts'), written.replace('event.data.source', 'event.data.email'))
    copyFileSync(example('deliverability'), join(folder, 'deliverability.projection.ts'))
    const strict = ['--strict', '--noEmit', '--target', 'es2023', '--module', 'nodenext']
    const compile = (...files: readonly string[]) =>
      inPlace(process.execPath, join(ROOT, 'node_modules/typescript/bin/tsc'), ...strict, ...files.map((name) => `${name}.projection.ts`))
    await compile('typed', 'deliverability')
    await expect(compile('wrong')).rejects.toMatchObject({ stdout: expect.stringMatching(/^wrong.*Property 'email' does not exist/) })
    // Without the service, as in a test of one's own.
    const loaded = await inPlace(
      process.execPath,
      '-p',
      `import('./typed.projection.ts').then(({ default: made }) => console.log(made.name)), ''`,
    )
    expect(loaded.trim()).toBe('typed')
    const ran = await inFolder('projection', 'run', 'typed.projection.ts', '--json')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(ran.stdout)).toMatchObject({ schema: 'analyst_typed', tables: ['contacts_per_day'] })
  })

  it('that has changed, is broken or is none is refused in one sentence', timeout, async () => {
    const refused = async (text: string, name = 'other') => {
      writeFileSync(join(folder, `${name}.ts`), text)
      const { code, stdout, stderr } = await inFolder('projection', 'run', `${name}.ts`, '--json')
      expect({ code, stdout, lines: stderr.trim().split('\n').length }).toEqual({ code: 1, stdout: '', lines: 1 })
      return stderr
    }
    copyFileSync(example('opt-ins'), join(folder, 'copy.ts'))
    expect(await inFolder('projection', 'run', 'copy.ts', '--schema', 'copied')).toMatchObject({ code: 0 })
    expect(await refused('export default 1')).toContain('other.ts is no projection: its default export must be made by projection({ … }).')
    expect(await refused('export default projection(')).toContain('other.ts cannot be loaded: ')
    const unknown = `import { projection } from '@tidings/analyst'\nexport default projection({ name: 'x', events: ['Nothing'], applyBatch: async () => {} })`
    expect(await refused(unknown)).toContain('other.ts cannot be loaded: projection x: there is no event type Nothing')
    const failing = `import { projection, table } from '@tidings/analyst'
const t = table({ name: 't', columns: { n: 'text' }, key: ['n'] })
export default projection({ name: 'failing', events: ['ContactConsentRecorded'], tables: { t }, apply(event) {
  throw new Error('so it ends')
} })`
    expect(await refused(failing)).toMatch(
      /^other\.ts could not apply ContactConsentRecorded at \d{20}\S* \(other\.ts:4: so it ends\): nothing of that batch was kept in schema analyst_failing;/,
    )
  })
})

it('a run with --follow takes what comes, and SIGTERM ends it whole', timeout, async () => {
  const child = spawn(
    process.execPath,
    [join(ROOT, 'packages/cli/bin/tidings.mjs'), 'projection', 'run', example('funnel'), '--schema', 'followed', '--follow', '--json'],
    { env: { PATH: process.env.PATH, ...installation.env }, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let [printed, said] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  await expect.poll(() => said).toContain('and following the log: Ctrl-C ends it.')
  const more = workloadOf(asWorkspaceId(ofAcme[0]?.workspaceId ?? ''), 10, 3)
  await appendToLog(installation.env, more)
  const expected = countFunnel([...all, ...more])
  const funnel = async () => {
    const { rows } = await installation.pool.query<object>('select * from followed.funnel')
    return sorted(rows, expected)
  }
  await expect.poll(funnel).toEqual(expected)
  child.kill('SIGTERM')
  const [code] = await once(child, 'close')
  expect({ code, record: JSON.parse(printed) }).toMatchObject({
    code: 0,
    record: { schema: 'followed', to: expect.stringMatching(/^\d{20}/) },
  })
})

it.each([
  [['run', example('opt-ins'), '--from', 'yesterday'], 2, 'yesterday is no position: --from takes one as the log prints it, like 1042.'],
  [['run', example('opt-ins'), '--schema', 'Read'], 2, 'Read cannot be a schema’s name'.replace('’', "'")],
  [['run', example('opt-ins'), '--schema', 'read'], 1, 'Schema read was not made by `projection run`: choose another with --schema.'],
  [['run', example('opt-ins'), '--workspace', 'nowhere'], 1, 'There is no workspace nowhere'],
  [['run', 'nowhere.ts'], 1, 'There is no file nowhere.ts: name a projection file'],
  [['new', '../up'], 2, '../up cannot be a name'],
  [['rows', 'es.event'], 1, 'Schema es was not made by `projection run`'],
  [['rows', 'analyst_opt_ins.nowhere'], 1, 'There is no table analyst_opt_ins.nowhere'],
  [['rows', 'x'], 2, 'x is no table: give SCHEMA.TABLE'],
])('projection %j is exit %i', timeout, async (args, code, sentence) => {
  const ran = await runTidings(['projection', ...args], installation.env)
  expect(ran).toMatchObject({ code, stdout: '' })
  expect(ran.stderr).toContain(sentence)
})
