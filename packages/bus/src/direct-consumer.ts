import { randomUUID } from 'node:crypto'
import { pause } from '@tidings/async'
import { type Position, START } from '@tidings/event-store'
import { groupLeases, openSession, type Session } from './checkpoint.ts'
import { followLog, type Watch } from './follow-log.ts'
import { keepRunning } from './keep-running.ts'
import type { ConsumerOptions, RunningConsumer } from './port.ts'
import { unlessStopped } from './told-to-stop.ts'
import type { UnknownEvent } from './unknown-event.ts'

/** What a session tells about itself while it runs; `unknown`: what ended the last one, until the group is past it. */
export type Tally = {
  position: Position | null
  caughtUp: boolean
  lagSeconds: number
  lagEvents: number | null
  unknown: UnknownEvent | null
}

const STAND_BY_MS = 1_000
const AFTER_FAULT_MS = 500

/**
 * Runs a consumer straight from the log. One process runs a group at a time, under a lease; others stand by and take over within seconds
 * of a crash, at once after a stop. What cannot be decoded or handled becomes a dead letter; what may pass is tried again for ever.
 */
export function runDirectConsumer(options: ConsumerOptions): RunningConsumer {
  const owner = randomUUID()
  return keepRunning(options, {
    once: async (signal, tally) => {
      const session = await open(options, owner, signal)
      if (session === null) await pause(STAND_BY_MS, signal)
      else await runSession(options, session, { signal, tally })
    },
    after: { position: null },
    afterFaultMs: AFTER_FAULT_MS,
  })
}

async function open({ consumer, log, pool, startAt }: ConsumerOptions, owner: string, signal: AbortSignal): Promise<Session | null> {
  const first = startAt === 'start' ? START : await unlessStopped(log.head(), signal)
  return await openSession(pool, { group: consumer.group, owner, first })
}

/** Brings a group that reads another topic back to one place in the log, if nobody else is at it: only then can it read a new one. */
export async function leaveTopic(options: ConsumerOptions, signal: AbortSignal, tally: Tally): Promise<void> {
  const session = await open(options, randomUUID(), signal)
  if (session !== null) await runSession(options, session, { signal, tally, whileHandled: true })
}

async function runSession(options: ConsumerOptions, session: Session, watch: Watch): Promise<void> {
  const { tally, signal } = watch
  try {
    options.consumer.opened?.(await unlessStopped(options.log.head(), signal))
    tally.position = session.at
    await followLog(options, session, watch)
  } finally {
    await groupLeases.release(options.pool, session.lease).catch((error: unknown) => options.onFault?.(error))
  }
}
