import { pause, repeat } from '@tidings/async'
import { LogWentBack } from '@tidings/event-store'
import { Fenced } from '@tidings/jobs'
import type { ConsumerOptions, ConsumerProgress, RunningConsumer } from './port.ts'
import type { Tally } from './session.ts'
import { hasPassed, textOf, unknownIn } from './unknown-event.ts'

/** `once`: one session, or one attempt to open one. `after`: the tally after a session has ended. */
export type Sessions = Readonly<{
  once: (signal: AbortSignal, tally: Tally) => Promise<void>
  after: Partial<Tally>
  afterFaultMs: number
}>

/** How often a process that had to stop at an event checks whether the group is past it. */
const CHECK_MS = 1_000

/**
 * Opens one session after the other until it is stopped. A lost lease is no fault; the log itself reports that it went back. After an event
 * that only a newer build knows, it opens no session until a newer process has taken the group past that event.
 */
export function runSessions(options: ConsumerOptions, { once, after, afterFaultMs }: Sessions): RunningConsumer {
  const { consumer, onFault } = options
  const tally: Tally = { position: null, caughtUp: false, lagSeconds: 0, lagEvents: null, unknown: null }
  const reset = (): void => void Object.assign(tally, after)
  const running = repeat({
    round: async (signal) => {
      if (tally.unknown === null) await once(signal, tally)
      else await waitUntilPassed(options, tally, signal)
      reset()
      return 0
    },
    afterFault: (error) => {
      tally.unknown ??= unknownIn(error)
      if (!(error instanceof Fenced || error instanceof LogWentBack)) onFault?.(error)
      return afterFaultMs
    },
  })
  return {
    group: consumer.group,
    progress: (): ConsumerProgress => {
      const { unknown, ...progress } = tally
      return { ...progress, unknownEvent: unknown === null ? null : textOf(unknown) }
    },
    stop: running.stop,
  }
}

async function waitUntilPassed({ consumer, pool }: ConsumerOptions, tally: Tally, signal: AbortSignal): Promise<void> {
  if (tally.unknown === null) return
  if (await hasPassed(pool, consumer.group, tally.unknown.position)) tally.unknown = null
  else await pause(CHECK_MS, signal)
}
