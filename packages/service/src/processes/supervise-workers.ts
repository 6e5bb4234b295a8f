import { pause } from '@tidings/async'
import { OperationFailed } from '@tidings/config'
import type { Log } from '@tidings/observability/log'
import { sharedRead } from '@tidings/observability/metrics'
import { Counter, Gauge, Registry } from 'prom-client'
import { keepCounts, mergeMetrics, type ShownMetrics } from './merge-metrics.ts'
import { STOP } from './worker.ts'
import { isRunning, openWorker, started, type WorkerProcess, whyEnded } from './worker-process.ts'

// A slot is filled by one process after the other: starting → started → (ended → waits → starting)*. `stop` ends it in any of them.

const MIN_DELAY_MS = 200
const MAX_DELAY_MS = 5_000
/** Behind the drain. This is less than the 10 s after which this process ends itself: the database ends after the processes. */
const STOP_TIMEOUT_MS = 9_000
/** A page costs this process up to 90 ms of CPU, and `/metrics` is open and not throttled. */
const PAGE_KEPT_MS = 1_000

type Group = {
  readonly log: Log
  readonly slots: (WorkerProcess | null)[]
  readonly stopping: AbortController
  /** What processes counted that have ended. */
  departed: Promise<ShownMetrics>
  readonly page: () => Promise<string>
  /** The time from which the others serve in the place of one that has ended. */
  allStarted: boolean
}

export type Workers = Readonly<{ start: () => Promise<string>; missing: () => Promise<readonly string[]>; stop: () => Promise<void> }>

type Supervised = Readonly<{ log: Log; count: number; drainMs: number }>

/** Runs `count` processes of this program, each of which drains for `drainMs` when it stops. `start` resolves with the address they share; it rejects when one ends before all have started. */
export function superviseWorkers({ log, count, drainMs }: Supervised): Workers {
  const group: Group = {
    log,
    slots: Array.from({ length: count }, () => null),
    stopping: new AbortController(),
    departed: Promise.resolve([]),
    allStarted: false,
    page: sharedRead(() => page(group), { keptMs: PAGE_KEPT_MS }),
  }
  const kept: Promise<void>[] = []
  return {
    start: async () => {
      const opened = group.slots.map((_, at) => fill(group, at))
      const urls = await Promise.all(opened.map(startedAtOnce))
      group.allStarted = true
      kept.push(...opened.map((first, at) => keep(group, at, first)))
      return urls[0] ?? ''
    },
    missing: () => missing(group),
    stop: async () => {
      group.stopping.abort()
      await Promise.all(group.slots.map((process) => end(process, drainMs + STOP_TIMEOUT_MS)))
      await Promise.all(kept)
    },
  }
}

function fill(group: Group, at: number): WorkerProcess {
  const opened = openWorker(group.slots.length, {
    metrics: group.page,
    ready: () => missing(group, at),
    others: () => missingWithout(group, at),
  })
  group.slots[at] = opened
  return opened
}

async function startedAtOnce(opened: WorkerProcess): Promise<string> {
  const url = await started(opened)
  if (url === null) throw new OperationFailed(whyEnded(opened))
  return url
}

/** Fills the slot again whenever its process ends, with delays of up to 5 s while it cannot start. */
async function keep(group: Group, at: number, first: WorkerProcess): Promise<void> {
  const { log, stopping } = group
  let process: WorkerProcess | null = first
  for (let wait = MIN_DELAY_MS; ; wait = process?.started ? MIN_DELAY_MS : Math.min(wait * 2, MAX_DELAY_MS)) {
    if (process !== null) await leave(group, at, process)
    if (stopping.signal.aborted) return
    await pause(wait, stopping.signal, { ref: true })
    if (stopping.signal.aborted) return
    process = fillAgain(group, at)
    if (process !== null && (await started(process)) !== null)
      log.info({ process: process.worker.id }, 'a process serves in the place of the one that ended')
  }
}

/** Waits for its end, and clears its slot. */
async function leave(group: Group, at: number, process: WorkerProcess): Promise<void> {
  await process.ended
  group.slots[at] = null
  const { shown } = process
  group.departed = group.departed.then((kept) => keepCounts([kept, shown]))
  if (group.stopping.signal.aborted) return
  ended.inc()
  group.log.error({ process: process.worker.id }, `a process has ended, and is started again: ${whyEnded(process)}`)
}

function fillAgain(group: Group, at: number): WorkerProcess | null {
  try {
    return fill(group, at)
  } catch (error) {
    group.log.error({ err: error }, 'a process could not be made')
    return null
  }
}

async function end(process: WorkerProcess | null, timeoutMs: number): Promise<void> {
  if (process === null || !isRunning(process)) return
  process.send(STOP)
  const kill = setTimeout(() => process.worker.process.kill('SIGKILL'), timeoutMs)
  await process.ended
  clearTimeout(kill)
}

const serves = (slot: WorkerProcess | null): boolean => slot?.started === true && !slot.leaving

/**
 * The other slots say what they wait for. Once all have started, one that is started again or stops is no reason: a proxy that asks would take the others
 * out of service with it. The page of metrics counts it.
 */
async function missing({ slots, allStarted }: Group, asking?: number): Promise<readonly string[]> {
  const others = slots.filter((slot, at) => at !== asking && (!allStarted || serves(slot)))
  return (await Promise.all(others.map(missingIn))).flat()
}

/** What keeps the others from serving the address while this one stops by itself. */
async function missingWithout(group: Group, leaving: number): Promise<readonly string[]> {
  const isServed = !group.stopping.signal.aborted && group.slots.some((slot, at) => at !== leaving && serves(slot))
  return isServed ? await missing(group, leaving) : ['shutting down']
}

async function missingIn(process: WorkerProcess | null): Promise<readonly string[]> {
  if (process === null) return ['a process is started again']
  const name = `process ${process.worker.id}`
  try {
    return [await process.calls.call('ready')].flat().map((reason) => `${name}: ${reason}`)
  } catch (error) {
    if (!isRunning(process)) return []
    return [`${name}: ${error instanceof Error ? error.message : error}`]
  }
}

/** A process that does not answer is shown as it was last. */
async function page(group: Group): Promise<string> {
  const running = group.slots.filter((slot) => slot !== null)
  await Promise.all(running.map(look))
  // One that has ended meanwhile is in `departed` by now, and in no slot.
  const alive = running.filter((slot) => group.slots.includes(slot))
  missingNow.set(group.slots.filter((slot) => !slot?.started).length)
  return mergeMetrics([await ofSupervisor.getMetricsAsJSON(), await group.departed, ...alive.map(({ shown }) => shown)])
}

async function look(process: WorkerProcess): Promise<void> {
  if (!process.started) return
  const shown: unknown = await process.calls.call('metrics').catch(() => null)
  if (Array.isArray(shown)) process.shown = shown
}

/** What the first of several processes adds to the page of the others. */
const ofSupervisor = new Registry()

const missingNow = new Gauge({
  name: 'tidings_processes_missing',
  help: 'Processes of several on one port that have ended and do not serve again yet',
  registers: [ofSupervisor],
})

const ended = new Counter({
  name: 'tidings_processes_ended_total',
  help: 'Processes of several on one port that have ended by themselves, each of which was started again',
  registers: [ofSupervisor],
})
