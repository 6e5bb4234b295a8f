import cluster from 'node:cluster'
import { endOwnServers } from '@tidings/postgres/embedded'
import { onStopRequest } from './stop-requests.ts'

/** The exit code that a shell gives a command that SIGINT ended. */
const STOPPED = 130

let isExiting = false

/** Says whether the process is about to end with a code: what fails from then on fails for that. */
export function isAboutToExit(): boolean {
  return isExiting
}

/** Ends the process, and before it the embedded Postgres that it has started, if any. */
export function exitWith(code: number): void {
  isExiting = true
  endOwnServers().finally(() => process.exit(code))
}

/**
 * Lets a signal end a command that has no way of its own to stop: what it has begun, the next call finds. One of several processes is no command: it ends with its
 * supervisor, or in its own way once it serves.
 */
export function stopCommandOnSignal(): void {
  const stop = (): void => {
    process.stderr.write('Stopped.\n')
    exitWith(STOPPED)
  }
  const doNothing = (): void => undefined
  onStopRequest(cluster.isWorker ? { stop: doNothing, force: doNothing } : { stop, force: () => process.exit(STOPPED) })
}

/** Aborts at the first signal, so that work ends where it is whole; one that comes later ends the process. */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController()
  onStopRequest({ stop: () => stopping.abort(), force: () => exitWith(STOPPED) })
  return stopping.signal
}
