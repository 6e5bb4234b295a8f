import { pause } from '@tidings/async'
import { LogWentBack } from '@tidings/event-store'
import { Fenced } from '@tidings/leases'
import type { Tally } from './direct-consumer.ts'
import type { ConsumerOptions, ConsumerProgress, RunningConsumer } from './port.ts'
import { hasPassed, textOf, unknownIn } from './unknown-event.ts'

/** `once`: one session, or one look whether there can be one. `after`: what a session that ended leaves in the tally. */
export type Sessions = Readonly<{
  once: (signal: AbortSignal, tally: Tally) => Promise<void>
  after: Partial<Tally>
  afterFaultMs: number
}>

/** How often a process that had to stop at an event looks whether the group is past it. */
const STAND_ASIDE_MS = 1_000

/**
 * Opens one session after the other until it is stopped. That somebody else took the group over is no fault; that the log went back is told
 * by the log. After an event that this build does not know it opens none before a newer process has taken the group past it, so that it
 * never holds what a newer one waits for.
 */
export function keepRunning(options: ConsumerOptions, { once, after, afterFaultMs }: Sessions): RunningConsumer {
  const { consumer, onFault } = options
  const stopping = new AbortController()
  const { signal } = stopping
  const tally: Tally = { position: null, caughtUp: false, lagSeconds: 0, lagEvents: null, unknown: null }
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        if (tally.unknown === null) await once(signal, tally)
        else await standAside(options, tally, signal)
      } catch (error) {
        tally.unknown ??= unknownIn(error)
        if (!(error instanceof Fenced || error instanceof LogWentBack)) onFault?.(error)
        await pause(afterFaultMs, signal)
      }
      Object.assign(tally, after)
    }
  }
  const ended = run()
  return {
    group: consumer.group,
    progress: (): ConsumerProgress => {
      const { unknown, ...told } = tally
      return { ...told, unknownEvent: unknown === null ? null : textOf(unknown) }
    },
    stop: async () => {
      stopping.abort()
      await ended
    },
  }
}

async function standAside({ consumer, pool }: ConsumerOptions, tally: Tally, signal: AbortSignal): Promise<void> {
  if (tally.unknown === null) return
  if (await hasPassed(pool, consumer.group, tally.unknown.position)) tally.unknown = null
  else await pause(STAND_ASIDE_MS, signal)
}
