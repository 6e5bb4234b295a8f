import { backoffDelay, pause } from '@tidings/async'
import { Unavailable } from '../errors.ts'
import type { EventToAppend, ExpectedRevision } from '../port.ts'

import type { Attempt } from './attempts.ts'
import { appendSize, encodeAppend } from './encode-append.ts'
import { createInFlight, IN_FLIGHT, type InFlightLimits } from './in-flight.ts'
import type { AppendOutcome } from './outcome.ts'

/** Milliseconds. A server gives up on a write after 2 000 by default, so an attempt waits a little longer for its verdict. */
export type AppendTimes = Readonly<{ attemptMs: number; deadlineMs: number }>

const APPEND_TIMES: AppendTimes = { attemptMs: 2_500, deadlineMs: 6_000 }

const BACKOFF = { minMs: 10, maxMs: 500 }

export type Append = Readonly<{ stream: string; expected: ExpectedRevision; events: readonly EventToAppend[] }>

/** The final answer of the server. `unknown` is not among it: that is thrown. */
export type Decided = Exclude<AppendOutcome, { kind: 'unknown' | 'denied' }>

export type Appender = Readonly<{
  /** Asks until the server has decided, with the same event ids; throws Unavailable when it has not by the deadline. */
  append: (append: Append) => Promise<Decided>
  close: () => void
}>

type AppenderOptions = Readonly<{
  attempt: Attempt
  times?: Partial<AppendTimes>
  limits?: Partial<InFlightLimits>
  onRetry?: (reason: string) => void
}>

export function createAppender(options: AppenderOptions): Appender {
  const { attemptMs, deadlineMs } = { ...APPEND_TIMES, ...options.times }
  const limits = { ...IN_FLIGHT, ...options.limits }
  const inFlight = createInFlight(limits)
  const closed = new AbortController()

  const attempt = async (append: Append, { leftMs, isAlone }: Readonly<{ leftMs: number; isAlone: boolean }>): Promise<AppendOutcome> => {
    const leave = await inFlight
      .enter(isAlone ? limits.bytes + 1 : appendSize(append.stream, append.expected, append.events))
      .catch((error: Error) => error)
    if (leave instanceof Error) return { kind: 'denied', reason: leave.message }
    try {
      if (closed.signal.aborted) return { kind: 'denied', reason: 'the event store is closed' }
      // Encoded anew each time: an attempt given up may still sit in the stream's buffer.
      return await options.attempt(encodeAppend(append.stream, append.expected, append.events), Math.min(attemptMs, leftMs))
    } finally {
      leave()
    }
  }

  const append = async (what: Append): Promise<Decided> => {
    const until = performance.now() + deadlineMs
    let isAlone = false
    let isAsked = false
    const unavailable = (reason: string): Unavailable =>
      new Unavailable(isAsked ? `${reason}; whether ${what.stream} was written is unknown` : `${reason}; nothing was written`)
    for (let count = 1; ; count++) {
      const outcome = await attempt(what, { leftMs: Math.max(1, until - performance.now()), isAlone })
      if (outcome.kind === 'denied') throw unavailable(outcome.reason)
      if (outcome.kind !== 'unknown') return outcome
      isAlone ||= outcome.alone === true
      isAsked = true
      const wait = backoffDelay(count, BACKOFF)
      if (closed.signal.aborted || performance.now() + wait >= until) throw unavailable(outcome.reason)
      options.onRetry?.(outcome.reason)
      await pause(wait, closed.signal)
    }
  }
  return { append, close: () => closed.abort() }
}
