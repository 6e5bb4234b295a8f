import cluster, { type Worker } from 'node:cluster'
import { type Answers, type Calls, createCalls } from './calls.ts'
import type { ShownMetrics } from './merge-metrics.ts'
import type { Report } from './worker.ts'

/** A process that this one has started. */
export type WorkerProcess = {
  readonly worker: Worker
  readonly calls: Calls
  readonly send: (message: object) => void
  /** Resolves when it has ended, or could not be made at all. */
  readonly ended: Promise<void>
  started: boolean
  /** It stops, and takes connections until its drain is over. */
  leaving: boolean
  /** Its metrics, as it last said. */
  shown: ShownMetrics
  /** What it said of its failure. */
  sentence: string | null
}

/** This is shorter than a process waits for the page made of these answers. */
const TIMEOUT_MS = 1_000

/**
 * Starts another process of this program, one of `count`: it does not reckon that anew, from a file or cores that may have changed. `answers`
 * are what it may ask here.
 */
export function openWorker(count: number, answers: Answers): WorkerProcess {
  const worker = cluster.fork({ TIDINGS_PROCESSES: String(count) })
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const send = (message: object): void => void (worker.isConnected() && worker.send(message))
  const onMessage = (listener: (message: unknown) => void): void => void worker.on('message', listener)
  const opened: WorkerProcess = {
    worker,
    calls: createCalls({ send, onMessage }, answers, TIMEOUT_MS),
    send,
    ended,
    started: false,
    leaving: false,
    shown: [],
    sentence: null,
  }
  worker.once('exit', () => resolve())
  // A message to a process that has just ended is lost, and its end is handled. What could not be made says so here, and never exits.
  worker.on('error', (error) => {
    if (worker.process.pid !== undefined) return
    opened.sentence = `A process could not be made: ${error.message}.`
    resolve()
  })
  worker.on('message', ({ failed, leaving }: Report) => {
    if (leaving === true) opened.leaving = true
    if (failed !== undefined) opened.sentence = failed
  })
  return opened
}

/** Resolves with the address when it has started; with null when it has ended before. */
export function started(opened: WorkerProcess): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>()
  opened.worker.on('message', ({ started: url }: Report) => {
    if (url === undefined) return
    opened.started = true
    resolve(url)
  })
  void opened.ended.then(() => resolve(null))
  return promise
}

export function isRunning({ worker }: WorkerProcess): boolean {
  return worker.process.pid !== undefined && !worker.isDead()
}

/** A sentence for a process that has ended. */
export function whyEnded({ worker, sentence }: WorkerProcess): string {
  const { exitCode, signalCode } = worker.process
  return sentence ?? `Process ${worker.id} ended by itself (${signalCode ?? `exit code ${exitCode}`}).`
}
