import { repeat } from '@tidings/async'
import type { DecodedBatch, TypeFilter } from '@tidings/codec'
import { comparePositions, type Position, type SubscribeOptions } from '@tidings/event-store'
import type { FollowerState, LogView } from './log-view.ts'

/** `isBroken`: the subscription failed, and has not caught up since; nothing is caught up then. */
export type Follower = FollowerState & Readonly<{ isBroken: () => boolean; close: () => Promise<void> }>

export type FollowerOptions = Readonly<{
  log: Readonly<{ subscribe: (options: SubscribeOptions & TypeFilter) => AsyncIterable<DecodedBatch> }>
  /** A view that is named twice is followed once. */
  views: readonly LogView[]
  /**
   * Called when the subscription breaks; it resumes where it was, every second. The same failure again is not reported again: at an event
   * that this build does not know the follower stays, and is not caught up, for as long as the process runs.
   */
  onError?: (error: unknown) => void
  /** False while other processes do not wait for this one (ADR 10): then nothing is caught up. */
  isKnown?: () => boolean
  /** Monotonic milliseconds. */
  now?: () => number
}>

const CAUGHT_UP_MS = 1_000
const RESTART_MS = 1_000

/**
 * Keeps the views up to date with one subscription from the end of the log, which begins at once. The subscription decrypts only the types
 * of the views.
 */
export function createFollower({ log, views, onError, isKnown = () => true, now = () => performance.now() }: FollowerOptions): Follower {
  const byType = viewsByType(views)
  let since: Position | null = null
  let position: Position | null = null
  let caughtUpAt = Number.NEGATIVE_INFINITY
  let reported: string | null = null
  let isBroken = false
  /** Resolves with the next batch. */
  let moved = Promise.withResolvers<void>()

  const isPast = (wanted: Position): boolean => position !== null && comparePositions(position, wanted) >= 0

  /** A reader that got the event by itself is mostly some promises ahead, not a millisecond: it waits for the batch, and for no clock. */
  const hasPassed: FollowerState['hasPassed'] = async (wanted, ms) => {
    if (isPast(wanted)) return true
    let isLate = false
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(() => {
      isLate = true
      late.resolve()
    }, ms)
    while (!isPast(wanted) && !isLate) await Promise.race([moved.promise, late.promise])
    clearTimeout(timer)
    return isPast(wanted)
  }

  const follow = async (signal: AbortSignal): Promise<void> => {
    for await (const batch of log.subscribe({ from: position ?? 'end', signal, types: [...byType.keys()] })) {
      for (const event of batch.events) {
        for (const view of byType.get(event.type) ?? []) view.apply(event)
      }
      reported = null
      since ??= batch.to
      position = batch.to
      const rung = moved
      moved = Promise.withResolvers()
      rung.resolve()
      if (!batch.caughtUp) continue
      caughtUpAt = now()
      isBroken = false
    }
  }

  const report = (error: unknown): void => {
    isBroken = true
    const text = String(error)
    if (text !== reported) onError?.(error)
    reported = text
  }

  const state: FollowerState = {
    isCaughtUp: () => !isBroken && now() - caughtUpAt < CAUGHT_UP_MS && isKnown(),
    since: () => since,
    position: () => position,
    hasPassed,
  }
  for (const view of new Set(views)) view.attach?.(state)
  const running = repeat({
    round: async (signal) => {
      await follow(signal).catch(report)
      return RESTART_MS
    },
  })
  return {
    ...state,
    isBroken: () => isBroken,
    close: running.stop,
  }
}

const viewsByType = (views: readonly LogView[]): ReadonlyMap<string, ReadonlySet<LogView>> => {
  const types = new Set(views.flatMap((view) => view.types))
  return new Map([...types].map((type) => [type, new Set(views.filter((view) => view.types.includes(type)))]))
}
