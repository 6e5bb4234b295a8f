import { randomUUID } from 'node:crypto'
import { pause } from '@tidings/async'
import { START } from '@tidings/event-store'
import { groupLeases, openSession } from './checkpoint.ts'
import type { ConsumerOptions, RunningConsumer } from './port.ts'
import { runSessions } from './run-sessions.ts'
import type { Session, Tally } from './session.ts'
import { subscribeToLog, type Watch } from './subscribe-to-log.ts'
import { unlessStopped } from './unless-stopped.ts'

const STAND_BY_MS = 1_000
const AFTER_FAULT_MS = 500

/**
 * Runs a consumer from the log. One process runs a group at a time, under a lease; others stand by and take over within seconds of a crash,
 * at once after a stop. An event that cannot be decoded or handled becomes a dead letter; a retryable error is retried for ever.
 */
export function runDirectConsumer(options: ConsumerOptions): RunningConsumer {
  const owner = randomUUID()
  return runSessions(options, {
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

/** Brings a group that reads another topic back to one position in the log, if no other process does: only then can it read a new topic. */
export async function leaveTopic(options: ConsumerOptions, signal: AbortSignal, tally: Tally): Promise<void> {
  const session = await open(options, randomUUID(), signal)
  if (session !== null) await runSession(options, session, { signal, tally, whileHandled: true })
}

async function runSession(options: ConsumerOptions, session: Session, watch: Watch): Promise<void> {
  const { tally, signal } = watch
  try {
    options.consumer.opened?.(await unlessStopped(options.log.head(), signal))
    tally.position = session.at
    await subscribeToLog(options, session, watch)
  } finally {
    await groupLeases.release(options.pool, session.lease).catch((error: unknown) => options.onFault?.(error))
  }
}
