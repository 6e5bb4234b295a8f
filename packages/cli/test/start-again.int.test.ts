import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const LAUNCHER: string = join(import.meta.dirname, '../bin/start-again.mjs')

const MB = 1024 * 1024
const folder = mkdtempSync(join(tmpdir(), 'tidings-start-'))
afterAll(() => rmSync(folder, { recursive: true }))

const program = join(folder, 'program.mjs')
writeFileSync(
  program,
  `import { startAgain } from ${JSON.stringify(pathToFileURL(LAUNCHER).href)}
startAgain()
const { pid, execArgv, argv, env } = process
console.log(JSON.stringify({ pid, execArgv, args: argv.slice(2), arenas: env.MALLOC_ARENA_MAX, kept: env.KEPT }))`,
)
type StartedProcess = Readonly<{ pid: number; execArgv: string[]; args: string[]; arenas?: string; kept?: string }>
const run = (options: string[], env: Record<string, string> = {}): StartedProcess =>
  JSON.parse(
    execFileSync(process.execPath, [...options, program, 'start', 'a b', '--x=ü'], {
      env: { PATH: process.env.PATH, ...env },
      encoding: 'utf8',
    }),
  )

test('a start begins again with it, and with its arguments, options and environment', () => {
  const said = run(['--no-warnings'], { KEPT: 'kept' })
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
  expect(said.execArgv).toEqual([`--max-semi-space-size=${memory >= 2_000 * MB ? 64 : 16}`, '--no-warnings'])
  expect(said).toMatchObject({ args: ['start', 'a b', '--x=ü'], arenas: '2', kept: 'kept' })
})

test('what somebody has set himself stays', () => {
  expect(run(['--max_semi_space_size=8']).execArgv).toEqual(['--max_semi_space_size=8'])
  expect(run([], { NODE_OPTIONS: '--max-semi-space-size=32' })).toMatchObject({ execArgv: [] })
  expect(run([], { MALLOC_ARENA_MAX: '4' }).arenas).toBe('4')
})
