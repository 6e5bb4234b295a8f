import type { DecodedBatch, EventLog, Recorded } from '@tidings/codec'
import { comparePositions, type Position, START } from '@tidings/event-store'

/** How many events stay in memory for those who are a little late; at least the last batch does. */
const KEPT_EVENTS = 2_000

/**
 * The end of the log in memory, filled by one subscription. It covers everything after `from`, which moves up as old batches leave.
 * It ends when the subscription does; whoever waits in `moved` is then given the reason.
 */
export type Tail = Readonly<{
  /** Resolves when it is known where the tail begins; rejects when the log cannot say. */
  opened: Promise<void>
  covers: (at: Position | 'start') => boolean
  /** What came after `at`, or null. */
  after: (at: Position | 'start', limit: number) => DecodedBatch | null
  /** Counts what came: take it before looking, and wait with it after, so that nothing can come unseen in between. */
  version: () => number
  /** Resolves when more came than `version` counted, or `signal` says stop. */
  moved: (version: number, signal: AbortSignal) => Promise<void>
  position: () => Position | null
  ended: () => boolean
  close: () => void
}>

export const createTail = (log: EventLog): Tail => {
  const closing = new AbortController()
  const kept = keptBatches()
  const waiting = new Set<() => void>()
  let version = 0
  let failure: Readonly<{ error: unknown }> | null = null

  const moved = (): void => {
    version++
    for (const wake of waiting) wake()
  }
  const fill = async (from: Position): Promise<void> => {
    try {
      for await (const batch of log.subscribe({ from, signal: closing.signal })) {
        kept.push(batch)
        moved()
      }
      failure = { error: new Error('the subscription of the log ended') }
    } catch (error) {
      failure = { error }
    }
    moved()
  }
  const opened = log.head().then(
    (head) => {
      kept.open(head)
      void fill(head)
    },
    (error: unknown) => {
      failure = { error }
      throw error
    },
  )
  opened.catch(() => undefined) // every follower awaits it
  return {
    ...kept,
    opened,
    version: () => version,
    moved: async (seen, signal) => {
      if (version === seen && failure === null) await woken(waiting, signal)
      if (failure !== null && !signal.aborted) throw failure.error
    },
    ended: () => failure !== null,
    close: () => closing.abort(),
  }
}

const woken = (waiting: Set<() => void>, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const wake = (): void => {
      waiting.delete(wake)
      signal.removeEventListener('abort', wake)
      resolve()
    }
    waiting.add(wake)
    if (signal.aborted) wake()
    else signal.addEventListener('abort', wake)
  })

type Kept = Pick<Tail, 'covers' | 'after' | 'position'> & Readonly<{ open: (from: Position) => void; push: (batch: DecodedBatch) => void }>

const keptBatches = (): Kept => {
  const batches: DecodedBatch[] = []
  let from: Position | null = null
  let count = 0
  return {
    open: (head) => {
      from = head
    },
    push: (batch) => {
      batches.push(batch)
      count += batch.events.length
      while (batches.length > 1 && count > KEPT_EVENTS) {
        const oldest = batches.shift()
        count -= oldest?.events.length ?? 0
        from = oldest?.to ?? from
      }
    },
    covers: (at) => from !== null && comparePositions(at === 'start' ? START : at, from) >= 0,
    after: (at, limit) => slice(batches, at === 'start' ? START : at, limit),
    position: () => batches.at(-1)?.to ?? from,
  }
}

const slice = (batches: readonly DecodedBatch[], at: Position, limit: number): DecodedBatch | null => {
  const events: Recorded[] = []
  let to: Position | null = null
  for (const batch of batches) {
    if (comparePositions(batch.to, at) <= 0) continue
    const fresh = batch.events.filter(({ position }) => comparePositions(position, at) > 0)
    const room = limit - events.length
    for (const event of fresh.slice(0, room)) events.push(event)
    if (fresh.length > room) return { events, to: events.at(-1)?.position ?? at, caughtUp: false }
    to = batch.to
  }
  return to === null ? null : { events, to, caughtUp: batches.at(-1)?.caughtUp ?? false }
}
