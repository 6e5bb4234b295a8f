import type { ReserveTimes } from './reserve-times.ts'
import { TokenQueue } from './token-queue.ts'

/** So long ahead a process reserves at most: a message that comes later, in another process, waits that long for each process that sends. */
const BLOCK_MS = 250

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
      // No message came for them at their time.
      const oldest = performance.now() - BLOCK_MS
      if ((times[0] ?? oldest) < oldest) times = times.filter((time) => time >= oldest)
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
