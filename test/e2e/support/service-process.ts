import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { runHosted } from './command-host.ts'

export { freePort } from '@tidings/testing'

/** `tidings …` in a process of its own, as an operator runs it. */
export type Ran = Readonly<{ code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }>

export type ServiceProcess = Readonly<{
  url: string
  pid: number
  /** Everything it wrote to stdout so far. */
  output: () => string
  /** Resolves when it is ready for everything; throws when it ended, or is not in time. */
  ready: () => Promise<void>
  /** Sends a signal and resolves when the process is gone. */
  end: (signal: NodeJS.Signals) => Promise<Ran>
  ended: () => boolean
}>

export type Environment = Readonly<Record<string, string>>

const MAIN = fileURLToPath(new URL('../../../packages/cli/bin/tidings.mjs', import.meta.url))

/** A start takes some seconds on a machine that is busy; one that does not end must not outlive its test. */
const START_TIMEOUT_MS = 240_000

/** Within the five seconds of a service, a machine that stands still answers 503: a test of a database that is away sets them again. */
const DEFAULTS = {
  TIDINGS_DATABASE_WAIT_MS: '60000',
  TIDINGS_RATE_LIMIT_DEFAULT: 'off',
  TIDINGS_RATE_LIMIT_KEY: 'off',
  TIDINGS_PROCESSES: '1',
}

const surroundingsOf = (env: Environment) => ({ PATH: process.env.PATH, ...DEFAULTS, ...env })

/** What starts a server, asks a person, or is for Node.js itself has a process of its own. */
const mayBeHosted = ([name]: readonly string[], env: Environment, stdin: string): boolean =>
  name !== 'start' &&
  (stdin === '' || name === 'apply') &&
  env.TIDINGS_DATABASE_URL !== undefined &&
  Object.keys(env).every((variable) => variable.startsWith('TIDINGS_') || variable === 'PORT')

const spawned = (args: readonly string[], env: Environment, command: readonly string[] = [process.execPath, MAIN]) => {
  const [program = '', ...before] = command
  const child = spawn(program, [...before, ...args], { env: surroundingsOf(env), stdio: 'pipe' })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const result = once(child, 'close').then(([code, signal]): Ran => ({ code, signal, stdout, stderr }))
  return { child, result, output: () => stdout, errors: () => stderr }
}

/** Runs a command to its end; `stdin` is what it reads. It may share its process with those before it (`command-host.ts`). */
export function runTidings(args: readonly string[], env: Environment, stdin = ''): Promise<Ran> {
  if (mayBeHosted(args, env, stdin)) return runHosted(args, surroundingsOf(env), stdin)
  const { child, result } = spawned(args, env)
  child.stdin?.end(stdin)
  return result
}

/** Null when it is ready, else what it says that it waits for. */
const waitsFor = async (url: string): Promise<string | null> => {
  const answer = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(5_000) }).catch(() => null)
  const text = (await answer?.text().catch(() => '')) ?? 'it does not answer'
  return answer?.status === 200 ? null : text
}

/** Resolves when the service is ready for everything; throws when it ends or is not in time. */
const untilReady = async (url: string, failed: () => string | null = () => null): Promise<void> => {
  const deadline = Date.now() + START_TIMEOUT_MS
  for (;;) {
    const missing = await waitsFor(url)
    // This holds even if it was answered: another process may have the port.
    const why = failed()
    if (why !== null) throw new Error(`the service ended while starting: ${why}`)
    if (missing === null) return
    if (Date.now() > deadline) throw new Error(`the service at ${url} was not ready in time: ${missing}`)
    // Each look makes some thirty statements.
    await sleep(150)
  }
}

const gone = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null

/** Starts the whole service without waiting for it. `command` runs it in another way than `node main.ts start`. */
export function launchProcess(env: Environment & Readonly<{ PORT: string }>, command?: readonly string[]): ServiceProcess {
  const { child, result, output, errors } = spawned(command ? [] : ['start'], env, command)
  const url = `http://127.0.0.1:${env.PORT}`
  return {
    url,
    pid: child.pid ?? -1,
    output,
    ready: () => untilReady(url, () => (gone(child) ? errors() || output().slice(-2_000) : null)),
    ended: () => gone(child),
    end: (signal) => {
      if (!gone(child)) child.kill(signal)
      return result
    },
  }
}

/** Starts the whole service and resolves when it is ready. */
export async function startProcess(env: Environment & Readonly<{ PORT: string }>, command?: readonly string[]): Promise<ServiceProcess> {
  const service = launchProcess(env, command)
  await service.ready()
  return service
}

/** A command of the CLI, for a process that is not waited for. */
export function cliCommand(args: readonly string[]): readonly string[] {
  return [process.execPath, MAIN, ...args]
}

/** The command that runs some roles in a process of their own. */
export function rolesCommand(roles: readonly string[]): readonly string[] {
  return cliCommand(['start', ...roles])
}
