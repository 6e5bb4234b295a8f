import PQueue from 'p-queue'
import { DeliveryError, type SendOptions } from '../port.ts'

/** `maxActive` calls at once; `maxWaiting` more may wait. */
export type SendQueueSettings = Readonly<{ maxActive: number; maxWaiting: number }>

export type SendQueue = Readonly<{
  /** Runs the call when there is room; `first`: before those that wait. `signal` cancels the wait, never a call. Throws what the call throws. */
  run: <Result>(call: () => Promise<Result>, options: Pick<SendOptions, 'signal'> & Readonly<{ first: boolean }>) => Promise<Result>
  /** Begins no call for that long, and then half as many at once; where it is paused already the first pause counts, and the answer is false. */
  pause: (ms: number) => boolean
  /** One call more at once, up to `maxActive`. */
  grow: () => void
  /** Whatever waits fails; resolves when the running calls have ended. */
  close: () => Promise<void>
}>

/** A bounded queue of calls, which a provider that is asked too often can pause. */
export function createSendQueue({ maxActive, maxWaiting }: SendQueueSettings): SendQueue {
  const queue = new PQueue({ concurrency: maxActive })
  let resume: NodeJS.Timeout | undefined
  let closed = false
  return {
    run: async (call, { signal, first }) => {
      if (closed) throw new DeliveryError('outage', 'the provider is being closed')
      if (!first && queue.size >= maxWaiting) throw new DeliveryError('outage', 'too many messages wait for the provider')
      let running: ReturnType<typeof call> | undefined
      const begin = () => {
        running = call()
        return running
      }
      try {
        return await queue.add(begin, { signal, priority: first ? 1 : 0 })
      } catch {
        // p-queue stops waiting for a call whose signal is aborted, and the call goes on.
        if (running !== undefined) return await running
        throw new DeliveryError('outage', 'stopped while the message waited for the provider')
      }
    },
    pause: (ms) => {
      if (queue.isPaused || closed) return false
      queue.pause()
      queue.concurrency = Math.ceil(queue.concurrency / 2)
      resume = setTimeout(() => queue.start(), ms).unref()
      return true
    },
    grow: () => {
      if (queue.concurrency < maxActive) queue.concurrency++
    },
    close: async () => {
      closed = true
      clearTimeout(resume)
      queue.clear()
      await queue.onPendingZero()
    },
  }
}
