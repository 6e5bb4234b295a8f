import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Position, START } from '@tidings/event-store'
import { Fenced, openSession, release, type Session } from './checkpoint.ts'
import { followLog, type Watch } from './follow-log.ts'
import type { ConsumerOptions, ConsumerProgress, RunningConsumer } from './port.ts'

/** What a session tells about itself while it runs. */
export type Tally = { position: Position | null; caughtUp: boolean; lagSeconds: number; lagEvents: number | null }

const STAND_BY_MS = 1_000
const AFTER_FAULT_MS = 500

/**
 * Runs a consumer straight from the log. One process runs a group at a time, under a lease; others stand by and take over within seconds
 * of a crash, at once after a stop. What cannot be decoded or handled becomes a dead letter; what may pass is tried again for ever.
 */
export function runDirectConsumer(options: ConsumerOptions): RunningConsumer {
  const stopping = new AbortController()
  const tally: Tally = { position: null, caughtUp: false, lagSeconds: 0, lagEvents: null }
  const ended = keepRunning(options, stopping.signal, tally)
  return {
    group: options.consumer.group,
    progress: (): ConsumerProgress => ({ ...tally }),
    stop: async () => {
      stopping.abort()
      await ended
    },
  }
}

async function keepRunning(options: ConsumerOptions, signal: AbortSignal, tally: Tally): Promise<void> {
  const owner = randomUUID()
  while (!signal.aborted) {
    try {
      const session = await open(options, owner)
      if (session === null) await pause(STAND_BY_MS, signal)
      else await runSession(options, session, { signal, tally })
    } catch (error) {
      if (!(error instanceof Fenced)) options.onFault?.(error)
      await pause(AFTER_FAULT_MS, signal)
    }
    tally.position = null
  }
}

async function open({ consumer, log, pool, startAt }: ConsumerOptions, owner: string): Promise<Session | null> {
  const first = startAt === 'start' ? START : await log.head()
  return await openSession(pool, { group: consumer.group, owner, first })
}

/** Brings a group that reads another topic back to one place in the log, if nobody else is at it: only then can it read a new one. */
export async function leaveTopic(options: ConsumerOptions, signal: AbortSignal, tally: Tally): Promise<void> {
  const session = await open(options, randomUUID())
  if (session !== null) await runSession(options, session, { signal, tally, whileHandled: true })
}

async function runSession(options: ConsumerOptions, session: Session, watch: Watch): Promise<void> {
  const { tally } = watch
  try {
    options.consumer.opened?.(await options.log.head())
    tally.position = session.at
    await followLog(options, session, watch)
  } finally {
    await release(options.pool, session).catch((error: unknown) => options.onFault?.(error))
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> => sleep(ms, undefined, { signal }).catch(() => undefined)
