import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { leftOut } from '@tidings/testing'

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))
export const DEPLOY = `${ROOT}deploy/`

/** What a program printed; a failure rejects with what it said. */
export async function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<string> {
  return (await promisify(execFile)(program, args, { cwd: ROOT, env, maxBuffer: 1 << 26 })).stdout
}

/** A program that `deploy/install-linters.sh` installs, or that the machine has; or null: then the tests that need it are skipped by name. */
export function linter(name: 'hadolint' | 'caddy' | 'kubectl' | 'promtool'): string | null {
  const place = `${ROOT}node_modules/.cache/deploy-linters/bin/${name}`
  if (existsSync(place)) return place
  if (name === 'promtool' && spawnSync(name, ['--version']).status === 0) return name
  leftOut('deploy-linters', `there is no ${name}: run deploy/install-linters.sh, which needs Python 3.`)
  return null
}
