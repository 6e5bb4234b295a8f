import { backoffDelay, onAbort, pause, unlessAborted } from '@tidings/async'
import { type Batch, comparePositions, type Position, START, type SubscribeOptions } from '../port.ts'
import type { Pages } from './pages.ts'
import type { Slice, Window } from './window.ts'

/** The part of the log that a subscriber needs while the window does not reach it. */
export type LogReader = Readonly<{
  readAll: (after: Position | 'start', limit: number) => Promise<Batch>
  head: () => Promise<Position>
  /** Called with the error of every failed read; the subscriber retries. */
  onError?: (error: unknown) => void
}>

/** A subscriber's position; the window keeps what the slowest one needs. */
export type Member = { position: Position }

type Following = Readonly<{
  log: LogReader
  pages: Pages
  subscription: SubscribeOptions
  closed: AbortSignal
  members: Set<Member>
  window: () => Window | undefined
  /** Rings whenever the feed extends the window. */
  bell: Bell
}>

const MAX_BATCH = 2_000

/** One subscriber: reads the window where it can, the log where it must, and sleeps at the end. */
export async function* follow(options: Following): AsyncGenerator<Batch, void, undefined> {
  const { subscription } = options
  const signal = AbortSignal.any([subscription.signal, options.closed])
  const limit = subscription.maxBatch ?? MAX_BATCH
  const origin = await start(options, signal)
  if (origin === undefined) return
  const member: Member = { position: origin }
  options.members.add(member)
  // The signal keeps its listener while there is a callback: each wait would add and remove it.
  const unlink = onAbort(signal, () => undefined)
  try {
    if (subscription.from === 'end') yield { events: [], to: origin, caughtUp: true }
    while (!signal.aborted) {
      const woken = options.bell.next()
      const slice = options.window()?.slice(member.position, limit) ?? 'behind'
      const batch =
        slice === 'behind' ? await retried(() => catchUp(options, member.position, limit), options.log, signal) : live(slice, options)
      if (batch === undefined || signal.aborted) return
      const moved = comparePositions(batch.to, member.position) > 0
      if (moved) {
        member.position = batch.to
        yield batch
        continue
      }
      if (!(await either(woken, signal))) return
      // Woken without events: the log was read and has nothing more.
      if (nothingAfter(options.window(), member.position)) yield { events: [], to: member.position, caughtUp: true }
    }
  } finally {
    unlink()
    options.members.delete(member)
  }
}

const nothingAfter = (window: Window | undefined, position: Position): boolean =>
  window !== undefined && comparePositions(window.end, position) <= 0

const live = ({ events, to }: Slice, { window }: Following): Batch => ({
  events,
  to,
  caughtUp: nothingAfter(window(), to),
})

/** Caught up only once the window says so: the end of one read may already be old. */
const catchUp = async ({ pages, window }: Following, position: Position, limit: number): Promise<Batch> => {
  const { events, to } = await pages.read(position, limit)
  return { events, to, caughtUp: nothingAfter(window(), to) }
}

const start = async (options: Following, signal: AbortSignal): Promise<Position | undefined> => {
  const { from } = options.subscription
  if (from === 'start') return START
  return from === 'end' ? retried(options.log.head, options.log, signal) : from
}

/** Repeats until it succeeds; undefined once the signal aborts. */
const retried = async <T>(read: () => Promise<T>, { onError }: LogReader, signal: AbortSignal): Promise<T | undefined> => {
  for (let attempt = 1; !signal.aborted; attempt++) {
    try {
      return (await unlessAborted(read(), signal)) ?? undefined
    } catch (error) {
      if (signal.aborted) return undefined
      onError?.(error)
      await pause(backoffDelay(attempt), signal)
    }
  }
  return undefined
}

/** True when woken, false when the signal came first. */
const either = (woken: Promise<void>, signal: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => {
    const unlink = onAbort(signal, () => resolve(false))
    void woken.then(() => {
      unlink()
      resolve(!signal.aborted)
    })
  })

/** Wakes all waiters. Call `next()` before checking for news: then no ring is lost between the check and the wait. */
type Bell = Readonly<{ next: () => Promise<void>; ring: () => void }>

export function createBell(): Bell {
  let coming = Promise.withResolvers<void>()
  return {
    next: () => coming.promise,
    ring: () => {
      const rung = coming
      coming = Promise.withResolvers<void>()
      rung.resolve()
    },
  }
}
