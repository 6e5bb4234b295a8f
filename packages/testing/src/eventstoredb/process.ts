import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { freePort } from '../free-port.ts'

/** The fixture in a process of its own, which ends with the test's. Port and connection string stay the same over `kill` and `start`. */
export type EventStoreProcess = Readonly<{
  connectionString: string
  port: number
  /** `kill -9`; resolves when the process is gone. */
  kill: () => Promise<void>
  /** Starts it again after `kill`; with a file it has everything that it had acknowledged. */
  start: () => Promise<void>
  stop: () => Promise<void>
}>

const SERVE = fileURLToPath(new URL('./serve.ts', import.meta.url))

/** `data` is a file, made where there is none; without it the log ends with the process. */
export async function startEventStoreProcess(options: Readonly<{ port?: number; data?: string }> = {}): Promise<EventStoreProcess> {
  const { port = await freePort() } = options
  let child: ChildProcess | undefined
  const start = async (): Promise<void> => {
    const { data } = options
    const args = ['--port', String(port), ...(data === undefined ? [] : ['--data', data])]
    child = fork(SERVE, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] })
    await listening(child)
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill(signal)
    await gone
  }
  await start()
  return { connectionString: `esdb://127.0.0.1:${port}?tls=false`, port, start, kill: () => end('SIGKILL'), stop: () => end('SIGTERM') }
}

const listening = async (child: ChildProcess): Promise<void> => {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the EventStoreDB fixture ended with ${code} before it listened`)
  })
  await Promise.race([once(child, 'message'), ended])
  ended.catch(() => undefined)
}
