import { type Batch, comparePositions, type Position, type RecordedEvent, type SubscribeOptions } from '../port.ts'
import { createBell, follow, type LogReader, type Member } from './follow.ts'
import { sharedPages } from './pages.ts'
import { Window, type WindowLimits } from './window.ts'

export type TailOptions = LogReader & Readonly<{ window?: Partial<WindowLimits> }>

/**
 * One reader of the log's end for a whole process. A feed (owned by the adapter) extends it; every subscriber is served from the
 * same window, with the same event objects, at its own speed. A subscriber that the window has left behind reads the log, sharing pages
 * with those near it, until it is back inside; so a slow one costs no memory. Before `open` was called, subscribers read the log up to
 * where they wait.
 */
export type Tail = Readonly<{
  /** The feed is at `position`: the window begins there, empty. Forgets an earlier window (a feed that lost its place). */
  open: (position: Position) => void
  /**
   * The events that directly follow `after`; an empty list means "the log was read, nothing new", and wakes idle subscribers with an
   * empty batch. False when there is a gap before `after` (or no window yet): the feed has to read what is missing.
   */
  extend: (after: Position, events: readonly RecordedEvent[], to: Position) => boolean
  /** The end of the window; undefined until `open`. */
  end: () => Position | undefined
  subscribe: (options: SubscribeOptions) => AsyncIterable<Batch>
  subscribers: () => number
  /** Ends every subscription. */
  close: () => void
}>

/** A second of a very busy process (4 000 events of 4 KB), so that one who catches up can join. */
const LIMITS: WindowLimits = { maxEvents: 8_192, maxBytes: 16 * 1024 * 1024 }
/** Empty extensions after which the window drops what all subscribers have seen: an idle process keeps nothing. */
const QUIET_BEFORE_FORGETTING = 4

export function createTail(options: TailOptions): Tail {
  const members = new Set<Member>()
  const closed = new AbortController()
  const bell = createBell()
  const pages = sharedPages({ readAll: options.readAll })
  let window: Window | undefined
  let quiet = 0
  return {
    open: (position) => {
      window = new Window(position, { ...LIMITS, ...options.window })
      bell.ring()
    },
    extend: (after, events, to) => {
      if (window === undefined || !window.extend(after, events, to)) return false
      pages.forget()
      quiet = events.length === 0 ? quiet + 1 : 0
      if (quiet >= QUIET_BEFORE_FORGETTING) window.forget(seenByAll(members, window.end))
      bell.ring()
      return true
    },
    end: () => window?.end,
    subscribe: (subscription) => follow({ log: options, pages, subscription, closed: closed.signal, members, window: () => window, bell }),
    subscribers: () => members.size,
    close: () => closed.abort(),
  }
}

const seenByAll = (members: ReadonlySet<Member>, end: Position): Position => {
  let seen = end
  for (const { position } of members) if (comparePositions(position, seen) < 0) seen = position
  return seen
}
