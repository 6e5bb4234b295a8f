import { Unavailable } from '../errors.ts'

export type InFlightLimits = Readonly<{ appends: number; bytes: number; waiting: number; waitingBytes: number }>

/**
 * 64 appends and 256 KiB on the wire: past that a lost connection left unsent messages behind in the client (256 × 1 KB left none,
 * 64 × 60 KB did), and 8 to 16 already reach its full speed. What waits is bounded too.
 */
export const IN_FLIGHT: InFlightLimits = { appends: 64, bytes: 256 * 1024, waiting: 10_000, waitingBytes: 64 * 1024 * 1024 }

type Waiter = Readonly<{ bytes: number; enter: () => void }>

export type InFlight = Readonly<{
  /** Resolves with the release once there is room, first come first served; an append above `bytes` goes alone. Throws Unavailable when too many wait. */
  enter: (bytes: number) => Promise<() => void>
}>

export function createInFlight(limits: InFlightLimits): InFlight {
  const queue: Waiter[] = []
  let [appends, bytes, waitingBytes] = [0, 0, 0]

  const fits = (more: number): boolean => appends === 0 || (appends < limits.appends && bytes + more <= limits.bytes)
  const take = (more: number): (() => void) => {
    appends += 1
    bytes += more
    return () => {
      appends -= 1
      bytes -= more
      admit()
    }
  }
  const admit = (): void => {
    for (let next = queue[0]; next !== undefined && fits(next.bytes); next = queue[0]) {
      queue.shift()
      waitingBytes -= next.bytes
      next.enter()
    }
  }

  return {
    enter: (more) => {
      if (queue.length === 0 && fits(more)) return Promise.resolve(take(more))
      if (queue.length >= limits.waiting || waitingBytes + more > limits.waitingBytes) {
        return Promise.reject(new Unavailable(`${queue.length} appends wait for EventStoreDB already`))
      }
      waitingBytes += more
      return new Promise((resolve) => queue.push({ bytes: more, enter: () => resolve(take(more)) }))
    },
  }
}
