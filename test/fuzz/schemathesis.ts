import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { ROOT } from '../docs/markdown.ts'

const TOOL = join(ROOT, 'node_modules/.cache/schemathesis-4.32.5/bin/schemathesis')
const HERE = import.meta.dirname

/** Failures of its checks are 1, and are counted elsewhere; anything else means that it did not run. */
const RAN = new Set([0, 1])

export function installSchemathesis(): void {
  execFileSync(join(HERE, 'install-schemathesis.sh'), { stdio: 'inherit' })
}

/** `document`: its address. `headers`: of each request. `examples`: requests of each operation, at most, besides those that cover the schema. */
export type Round = Readonly<{ document: string; headers: readonly string[]; seed: number; examples: number }>

/** One round over an OpenAPI document, with valid and with invalid data. */
export async function runRound({ document, headers: given, seed, examples }: Round): Promise<void> {
  const options = [
    '--phases',
    'coverage,fuzzing',
    '--checks',
    'not_a_server_error',
    '--mode',
    'all',
    '--continue-on-failure',
    '--no-shrink',
  ]
  const size = ['--workers', '2', '--max-examples', String(examples), '--seed', String(seed), '--request-timeout', '60']
  const headers = given.flatMap((header) => ['-H', header])
  const child = spawn(TOOL, ['run', document, ...options, ...size, ...headers, '--suppress-health-check', 'all', '--warnings', 'off'], {
    cwd: join(ROOT, 'node_modules/.cache'),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-20_000)
  })
  const [code] = await once(child, 'exit')
  if (!RAN.has(code)) throw new Error(`schemathesis did not run (exit code ${code}):\n${said}`)
}
