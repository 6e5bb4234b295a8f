import { pause } from '@tidings/event-store'
import { Fenced } from './checkpoint.ts'
import type { Tally } from './direct-consumer.ts'
import type { ConsumerOptions, ConsumerProgress, RunningConsumer } from './port.ts'

/** `once`: one session, or one look whether there can be one. `after`: what a session that ended leaves in the tally. */
export type Sessions = Readonly<{
  once: (signal: AbortSignal, tally: Tally) => Promise<void>
  after: Partial<Tally>
  afterFaultMs: number
}>

/** Opens one session after the other until it is stopped. That somebody else took the group over is no fault. */
export function keepRunning({ consumer, onFault }: ConsumerOptions, { once, after, afterFaultMs }: Sessions): RunningConsumer {
  const stopping = new AbortController()
  const { signal } = stopping
  const tally: Tally = { position: null, caughtUp: false, lagSeconds: 0, lagEvents: null }
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        await once(signal, tally)
      } catch (error) {
        if (!(error instanceof Fenced)) onFault?.(error)
        await pause(afterFaultMs, signal)
      }
      Object.assign(tally, after)
    }
  }
  const ended = run()
  return {
    group: consumer.group,
    progress: (): ConsumerProgress => ({ ...tally }),
    stop: async () => {
      stopping.abort()
      await ended
    },
  }
}
