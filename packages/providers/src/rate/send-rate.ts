import type { ReserveTimes } from './reserve-times.ts'
import { TokenQueue } from './token-queue.ts'

/** The longest time that a process reserves ahead: a message that comes later, in another process, waits that long for each process that sends. */
const BLOCK_MS = 250

/** A process that comes to a time later than that by a stall still uses one: else it would reserve again at each stall, and send nothing. */
const STALL_MS = 5_000

/** The rate at which messages are given to a provider, over all processes. */
export type SendRate = Pick<TokenQueue, 'take' | 'giveBack'>

/**
 * What waits gets the times that this process has reserved, each when it has come; when those are used up, it reserves as many as wait, at most
 * a quarter of a second's worth. After a stall of the process so many go at once.
 */
export function createSendRate({ perSecond, reserve }: Readonly<{ perSecond: number; reserve: ReserveTimes }>): SendRate {
  const everyMs = 1_000 / perSecond
  const block = Math.max(1, Math.floor(BLOCK_MS / everyMs))
  let times: number[] = []

  return new TokenQueue({
    nextAt: () => {
      times = stillGood(times)
      return times[0] ?? null
    },
    take: () => void times.shift(),
    giveBack: () => void times.unshift(performance.now()),
    more: async (waiting) => {
      const count = Math.min(waiting, block)
      const first = performance.now() + (await reserve(count, Math.ceil(everyMs * 1_000))) / 1_000
      times = Array.from({ length: count }, (_, n) => first + n * everyMs)
    },
  })
}

/** Drops times that have passed: no message came for them. */
function stillGood(times: number[]): number[] {
  const now = performance.now()
  if ((times[0] ?? now) >= now - BLOCK_MS) return times
  const good = times.filter((time) => time >= now - BLOCK_MS)
  return good.length > 0 ? good : times.slice(-1).filter((time) => time >= now - STALL_MS)
}
