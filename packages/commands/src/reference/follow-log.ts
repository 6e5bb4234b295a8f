import { setTimeout } from 'node:timers/promises'
import type { EventLog, Recorded } from '@tidings/codec'
import { comparePositions, type Position } from '@tidings/event-store'

/** Called with every event of the types it asked for, in log order, before anybody is told that their position was reached. */
export type LogListener = Readonly<{ types: readonly string[]; heard: (event: Recorded) => void }>

export type LogFollower = Readonly<{
  /** Before `start` only: the subscription decrypts nothing that no listener asked for. */
  listen: (listener: LogListener) => void
  start: () => void
  /** True while the log was heard, up to its end, within the last second. */
  isFresh: () => boolean
  /** Where the follower began: it knows of nothing before. Null until it heard its first word. */
  since: () => Position | null
  /** Up to where it has heard everything; null until it heard its first word. */
  position: () => Position | null
  close: () => Promise<void>
}>

export type FollowOptions = Readonly<{
  log: EventLog
  /**
   * Told when the subscription broke; it is tried again from where it stood, every second. The same failure again is not told again: at an
   * event that this build does not know the follower stays, and is not fresh, for as long as the process runs.
   */
  onError?: (error: unknown) => void
  /** Monotonic milliseconds. */
  now?: () => number
}>

const FRESH_MS = 1_000
const RESTART_MS = 1_000

type Heard = { since: Position | null; position: Position | null; at: number }

/** One subscription from the end of the log, shared by everything in this process that must notice changes. */
export const followLog = ({ log, onError, now = () => performance.now() }: FollowOptions): LogFollower => {
  const listeners: LogListener[] = []
  const stopping = new AbortController()
  let told: string | null = null
  const heard: Heard = { since: null, position: null, at: Number.NEGATIVE_INFINITY }
  let running: Promise<void> | undefined

  const follow = async (byType: ReadonlyMap<string, readonly LogListener[]>) => {
    const from = heard.position ?? 'end'
    for await (const batch of log.subscribe({ from, signal: stopping.signal, types: [...byType.keys()] })) {
      for (const event of batch.events) {
        for (const listener of byType.get(event.type) ?? []) listener.heard(event)
      }
      told = null
      heard.since ??= batch.to
      heard.position = batch.to
      if (batch.caughtUp) heard.at = now()
    }
  }

  const tell = (error: unknown): void => {
    const text = String(error)
    if (text !== told) onError?.(error)
    told = text
  }

  const run = async () => {
    const byType = listenersByType(listeners)
    while (!stopping.signal.aborted) {
      await follow(byType).catch(tell)
      await setTimeout(RESTART_MS, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }

  return {
    listen: (listener) => {
      if (running) throw new Error('the follower has started: listen before')
      listeners.push(listener)
    },
    start: () => {
      running ??= run()
    },
    isFresh: () => now() - heard.at < FRESH_MS,
    since: () => heard.since,
    position: () => heard.position,
    close: async () => {
      stopping.abort()
      await running
    },
  }
}

const listenersByType = (listeners: readonly LogListener[]): ReadonlyMap<string, readonly LogListener[]> => {
  const types = new Set(listeners.flatMap((listener) => listener.types))
  return new Map([...types].map((type) => [type, listeners.filter((listener) => listener.types.includes(type))]))
}

/** True when `a` is at or after `b`. */
export const reached = (a: Position, b: Position): boolean => comparePositions(a, b) >= 0
