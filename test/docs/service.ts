import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from './markdown.ts'

/** `stop` ends the service as Ctrl-C does and forgets its data. `env` is what commands beside it need, `output` what it has said so far. */
export type StartedService = Readonly<{ url: string; key: string; env: NodeJS.ProcessEnv; output: () => string; stop: () => Promise<void> }>

/** Starts `tidings start` on a free port and an empty data directory, and reads what it prints for a newcomer. */
export async function startTidings(settings: Readonly<Record<string, string>> = {}): Promise<StartedService> {
  const folder = mkdtempSync(join(tmpdir(), 'tidings-docs-'))
  const env = { ...process.env, NODE_ENV: 'development', TIDINGS_DATA_DIR: join(folder, 'data'), PORT: '0', ...settings }
  const child = spawn(process.execPath, [`${ROOT}packages/cli/bin/tidings.mjs`, 'start'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  let said = ''
  const welcomed = new Promise<void>((resolve, reject) => {
    const listen = (text: string) => {
      said += text
      if (said.includes('Ctrl-C stops Tidings')) resolve()
    }
    child.stdout.setEncoding('utf8').on('data', listen)
    child.stderr.setEncoding('utf8').on('data', listen)
    child.on('exit', () => reject(new Error(`the service did not start: ${said}`)))
  })
  await welcomed
  const url = /ready on (http:\S+)/.exec(said)?.[1]
  const key = /(sk_evt_[0-9a-f]{64})/.exec(said)?.[1]
  if (url === undefined || key === undefined) {
    await stop()
    throw new Error(`the service did not say its address and key: ${said}`)
  }
  return { url, key, env, output: () => said, stop }
}
