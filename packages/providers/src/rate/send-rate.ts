import { onAbort } from '@tidings/async'
import { DeliveryError } from '../port.ts'
import type { ReserveTimes } from './reserve-times.ts'

/** So long ahead a process reserves at most: a message that comes later, in another process, waits that long for each process that sends. */
const BLOCK_MS = 250

type Waiting = Readonly<{ go: () => void; fail: (error: DeliveryError) => void }>

/** `first`: before all that wait in this process and are not first. `signal` cancels the wait. Rejects with an outage where times cannot be reserved. */
export type SendRate = Readonly<{ wait: (options: Readonly<{ signal: AbortSignal; first: boolean }>) => Promise<void> }>

/**
 * The rate at which messages are given to a provider, over all processes. What waits gets the times that this process has reserved; when
 * those are used up, it reserves as many as wait, at most a quarter of a second's worth. After a stall of the process so many go at once.
 */
export function createSendRate({ perSecond, reserve }: Readonly<{ perSecond: number; reserve: ReserveTimes }>): SendRate {
  const everyMs = 1_000 / perSecond
  const block = Math.max(1, Math.floor(BLOCK_MS / everyMs))
  const queues: readonly [first: Set<Waiting>, rest: Set<Waiting>] = [new Set(), new Set()]
  let times: number[] = []
  let timer: NodeJS.Timeout | undefined
  let reserving = false

  const waiting = (): number => queues[0].size + queues[1].size

  const takeNext = (): Waiting | undefined => {
    const queue = queues.find(({ size }) => size > 0)
    const [next] = queue ?? []
    if (next !== undefined) queue?.delete(next)
    return next
  }

  const reserveMore = async (): Promise<void> => {
    reserving = true
    const count = Math.min(waiting(), block)
    try {
      const first = performance.now() + (await reserve(count, Math.ceil(everyMs * 1_000))) / 1_000
      times = Array.from({ length: count }, (_, n) => first + n * everyMs)
    } catch (error) {
      const why = `The rate of sending cannot be kept: ${error instanceof Error ? error.message : String(error)}`
      for (let next = takeNext(); next !== undefined; next = takeNext()) next.fail(new DeliveryError('outage', why))
    }
    reserving = false
    dispatch()
  }

  const dispatch = (): void => {
    clearTimeout(timer)
    const now = performance.now()
    // No message came for them at their time.
    times = times.filter((time) => time > now - BLOCK_MS)
    while (waiting() > 0 && times[0] !== undefined && times[0] <= now) {
      times.shift()
      takeNext()?.go()
    }
    if (waiting() === 0 || reserving) return
    if (times[0] === undefined) void reserveMore()
    else timer = setTimeout(dispatch, times[0] - now)
  }

  return {
    wait: ({ signal, first }) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(stopped())
        const queue = queues[first ? 0 : 1]
        const end = (): void => {
          queue.delete(entry)
          unlink()
        }
        const fail = (error: DeliveryError): void => {
          end()
          reject(error)
        }
        const go = (): void => {
          end()
          resolve()
        }
        const entry: Waiting = { go, fail }
        queue.add(entry)
        const unlink = onAbort(signal, () => fail(stopped()))
        dispatch()
      }),
  }
}

const stopped = (): DeliveryError => new DeliveryError('outage', 'Stopped while the message waited for its time.')
