import type { ChildProcess } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findRunning } from '@tidings/postgres/embedded'
import type { Bench } from './bench.ts'
import { startNode, stopChild } from './children.ts'
import { START, START_ENV } from './command-line.ts'

/** The service as an operator starts it: one process on a data directory of its own, Postgres beside it. `startSeconds`: from its start to its first ready answer. */
export type Service = Readonly<{
  url: string
  pid: number
  postgresPid: number
  databaseUrl: string
  dataDir: string
  settings: Readonly<Record<string, string>>
  startSeconds: number
  printed: () => string
  /** Begins a profile, or ends it, where one was asked for. */
  toggleProfile: () => void
  stop: () => Promise<void>
}>

/** `postgresOf`: the service whose Postgres `env` names; without it the service brings its own. `isPublic`: providers get the address where it listens. */
type Starting = Readonly<{
  dataDir: string
  roles?: readonly string[]
  env?: Readonly<Record<string, string>>
  isPublic?: boolean
  postgresOf?: Pick<Service, 'databaseUrl' | 'postgresPid'>
}>

/** The caller's environment without the settings of Tidings; one process, on a machine with more cores too. */
export function operatorEnv(dataDir: string, env: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const { PATH, HOME, LANG } = process.env
  return { PATH, HOME, LANG, TIDINGS_DATA_DIR: dataDir, TIDINGS_LOG_LEVEL: 'warn', TIDINGS_PROCESSES: '1', ...env }
}

const NO_LIMITS = { TIDINGS_RATE_LIMIT_DEFAULT: 'off', TIDINGS_RATE_LIMIT_KEY: 'off' }
const TIMEOUT_MS = 60_000

const freePort = (): Promise<number> => {
  const { promise, resolve } = Promise.withResolvers<number>()
  const probe = createServer()
  probe.listen(0, '127.0.0.1', () => {
    const address = probe.address()
    probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
  })
  return promise
}

const untilReady = async (url: string, child: ChildProcess, printed: () => string): Promise<void> => {
  for (const deadline = performance.now() + TIMEOUT_MS; performance.now() < deadline; await sleep(5)) {
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}: ${printed()}`)
    const answer = await fetch(`${url}/health/ready`).catch(() => null)
    await answer?.arrayBuffer()
    if (answer?.ok) return
  }
  throw new Error(`the service is not ready after ${TIMEOUT_MS / 1000} s: ${printed()}`)
}

const ownPostgres = async (dataDir: string) => ({
  databaseUrl: (await findRunning(dataDir)) ?? '',
  postgresPid: Number.parseInt(await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10),
})

export async function startService(
  bench: Bench,
  { dataDir, roles = [], env = {}, isPublic = false, postgresOf }: Starting,
): Promise<Service> {
  const port = await freePort()
  const { profileDir } = bench
  const profiling = profileDir === null ? [] : ['--import', join(import.meta.dirname, 'profiler.ts')]
  const started = performance.now()
  const child = startNode([...profiling, ...START, ...roles], {
    cwd: dataDir,
    env: operatorEnv(dataDir, {
      ...START_ENV,
      PORT: String(port),
      ...(isPublic && { TIDINGS_PUBLIC_URL: `http://127.0.0.1:${port}` }),
      ...NO_LIMITS,
      ...env,
      ...(profileDir && { BENCH_PROFILE_DIR: profileDir }),
    }),
  })
  const chunks: string[] = []
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk))
  const printed = (): string => chunks.join('')
  const stop = (): Promise<void> => stopChild(child)
  bench.after(stop)
  const toggleProfile = (): void => {
    if (profileDir !== null) child.kill('SIGUSR2')
  }
  const url = `http://127.0.0.1:${port}`
  await untilReady(url, child, printed)
  const startSeconds = (performance.now() - started) / 1000
  const { postgresPid, databaseUrl } = postgresOf ?? (await ownPostgres(dataDir))
  return { url, pid: child.pid ?? 0, postgresPid, databaseUrl, dataDir, settings: env, startSeconds, printed, toggleProfile, stop }
}
