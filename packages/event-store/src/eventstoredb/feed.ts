import { backoffDelay, pause } from '@tidings/async'
import type { LastSeen } from '../last-seen.ts'
import type { Position } from '../port.ts'
import { type Drop, supervise } from '../supervisor.ts'
import type { Tail } from '../tail/tail.ts'

import { allSubscription } from './all-subscription.ts'
import type { Connection } from './connection.ts'
import type { LogCheck } from './log-check.ts'

/**
 * Milliseconds: `heartbeatMs` between two words of an idle log, `watchdogMs` of silence before its head is asked for, and again before it is a
 * stall, `batchMs` at most from one batch to the next.
 */
export type FeedTimes = Readonly<{ heartbeatMs: number; watchdogMs: number; batchMs: number }>

/**
 * A batch wakes all that follows the log, and costs some milliseconds of CPU however small it is. Statements an email of 8 callers, by `batchMs`:
 * 3.0 to 3.8 without a limit, 2.9 to 3.8 with 5 ms, 2.3 to 2.4 with 25 ms; of 64 callers 0.34 to 0.45 with any. But one caller alone waited 25 ms
 * for a profile with a fixed 25 ms, 9 with 5, 7 without: hence a share of it after a small batch.
 */
export const FEED_TIMES: FeedTimes = { heartbeatMs: 400, watchdogMs: 2_000, batchMs: 25 }

type FeedOptions = Readonly<{
  connection: Connection
  tail: Tail
  lastSeen: LastSeen
  check: LogCheck
  head: () => Promise<Position>
  learnHead: () => Promise<Position>
  signal: AbortSignal
  times: FeedTimes
  onDrop: (drop: Drop) => void
}>

/** Feeds the process's tail from one unfiltered `$all` subscription, from the log's end as it is now, until the signal aborts. Never rejects. */
export async function feed(options: FeedOptions): Promise<void> {
  const { connection, tail, lastSeen, check, head, signal, times, onDrop } = options
  const start = await whereNow(options)
  if (start === undefined) return
  tail.open(start)
  const open = (after: Position, link: AbortSignal) => allSubscription({ connection, after, signal: link, head, check, ...times })
  let end = start
  for await (const { events, to } of supervise({ from: start, signal, open, head, watchdogMs: times.watchdogMs, onDrop })) {
    lastSeen.see(events.at(-1))
    lastSeen.reach(to)
    tail.extend(end, events, to)
    end = to
  }
}

const whereNow = async ({ learnHead, signal, onDrop }: FeedOptions): Promise<Position | undefined> => {
  for (let attempt = 1; !signal.aborted; attempt++) {
    try {
      return await learnHead()
    } catch (error) {
      onDrop({ reason: 'failed', error, attempt, resumeAfter: { commit: -1n, prepare: -1n } })
      await pause(backoffDelay(attempt), signal)
    }
  }
  return undefined
}
