import { spawnSync } from 'node:child_process'
import { mkdtempSync, openSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

/**
 * `npm run flame -- --only campaign --out campaign.svg`: measures a group of the bench, profiled, and draws where the service's time went. With
 * `--tree` the service of another checkout, which is installed there, under the same load: the picture before a change beside the one after.
 */
const USAGE = 'npm run flame -- --only NAME --out FILE.svg [--tree CHECKOUT] [--seconds N] [--runs N]'

const options = {
  only: { type: 'string' },
  out: { type: 'string' },
  tree: { type: 'string' },
  seconds: { type: 'string', default: '3' },
  runs: { type: 'string', default: '1' },
} as const

const { only, out, tree, seconds, runs } = parseArgs({ options }).values
if (only === undefined || out === undefined) {
  process.stderr.write(`${USAGE}\n`)
  process.exit(2)
}

const run = (file: string, args: readonly string[], output: 'inherit' | number): void => {
  const env = { ...process.env, ...(tree !== undefined && { BENCH_TREE: resolve(tree) }) }
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, file), ...args], { env, stdio: ['ignore', output, 'inherit'] })
  if (status !== 0) process.exit(status ?? 1)
}

const folder = mkdtempSync(join(tmpdir(), 'tidings-flame-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
run('main.ts', ['--only', only, '--seconds', seconds, '--runs', runs, '--cpu-prof', folder], 'inherit')
const profiles = readdirSync(folder).map((name) => join(folder, name))
run('flame-graph.ts', profiles, openSync(out, 'w'))
