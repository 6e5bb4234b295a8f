import cluster from 'node:cluster'
import type { Config } from '@tidings/config'
import type { Log } from '@tidings/observability/log'
import { ROLES } from '../roles.ts'
import type { Service } from '../service.ts'
import { startService } from '../start-service.ts'
import type { Channel } from './calls.ts'
import { createPeers } from './peers.ts'

/** Whether a supervisor has started this process. */
export function isWorker(): boolean {
  return cluster.isWorker
}

/** What a process says to its supervisor beside questions and answers, and is ordered. */
export type Report = Readonly<{ started?: string; failed?: string; leaving?: true }>
export const STOP = { stop: true } as const

/** Resolves when it has left. The supervisor may have ended: then so does this process. */
const send = (message: object): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>()
  process.send?.(message, undefined, undefined, () => resolve())
  return promise
}

const channel: Channel = {
  send: (message) => void send(message),
  onMessage: (listener) => void process.on('message', listener),
}

/** A stop may take as long as in a single process. */
const STOP_TIMEOUT_MS = 10_000

const isStop = (message: unknown): boolean => typeof message === 'object' && message !== null && 'stop' in message

type Work = Readonly<{
  config: Config
  log: Log
  /** Calls it at each signal that asks for a stop, in place of what such a signal does elsewhere. */
  onSignal: (stop: () => void) => void
  /** `isFirst`: of the processes that its supervisor has started. */
  onStarted: (service: Service, of: Readonly<{ isFirst: boolean; isStopping: () => boolean }>) => Promise<void>
  sentenceOf: (error: unknown) => string
}>

/**
 * Serves all roles beside the others of its supervisor, until that says stop or a signal comes. A terminal and `npm` signal the whole group:
 * during the start the signal of the supervisor takes effect, and a second one says nothing new, because it ends what takes too long.
 */
export async function runAsWorker({ config, log: parent, onSignal, onStarted, sentenceOf }: Work): Promise<void> {
  const log = parent.child({ process: cluster.worker?.id })
  const peers = createPeers(channel)
  const end = async (error: unknown): Promise<void> => {
    await send({ failed: sentenceOf(error) } satisfies Report)
    process.exit(1)
  }
  const starting = startService({ config, log, roles: new Set(ROLES), alone: false, peers })
  let stopping = false
  const stop = async (): Promise<void> => {
    if (stopping) return
    stopping = true
    channel.send({ leaving: true } satisfies Report)
    setTimeout(() => process.exit(1), config.http.drainSeconds * 1_000 + STOP_TIMEOUT_MS).unref()
    await starting.then((service) => service.stop()).then(() => process.exit(0), end)
  }
  let takesSignals = false
  onSignal(() => void (takesSignals && stop()))
  channel.onMessage((message) => void (isStop(message) && stop()))
  try {
    const service = await starting
    await onStarted(service, { isFirst: cluster.worker?.id === 1, isStopping: () => stopping })
    takesSignals = true
    channel.send({ started: service.url } satisfies Report)
  } catch (error) {
    await end(error)
  }
}
