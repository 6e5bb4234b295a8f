import { onAbort, pause } from '@tidings/async'
import { Unavailable } from '../errors.ts'
import { type Batch, comparePositions, type Position, START } from '../port.ts'
import type { AppendCall } from './append-call.ts'
import type { Connection, StreamsClient } from './connection.ts'
import type { ReadAnswer } from './decode-read.ts'
import { readCall } from './read-call.ts'
import { subscribeRequest } from './read-requests.ts'
import { SubscriptionBuffer } from './subscription-buffer.ts'

type AllSubscriptionOptions = Readonly<{
  connection: Connection
  after: Position
  signal: AbortSignal
  head: () => Promise<Position>
  /** Checks the log once the server has confirmed the subscription, before it delivers; the result holds while the subscription is open. */
  check: Readonly<{
    look: (stub?: StreamsClient, read?: AppendCall['read']) => Promise<void>
    trustWhileOpen: (stub: StreamsClient) => () => void
  }>
  /** Silence after which an idle subscription is compared with `head()`; where they agree it yields an empty batch. */
  heartbeatMs: number
  /** The longest time from one batch to the next while events arrive; the first after silence comes at once. */
  batchMs: number
}>

/** One call and its state; `wake` is called at each change. */
type Call = {
  readonly buffer: SubscriptionBuffer
  readonly wake: Wake
  /** The client that the subscription was opened on. */
  stub: StreamsClient | undefined
  isConfirmed: boolean
  ended: Readonly<{ error?: unknown }> | undefined
  retract: (() => void) | undefined
  /** The head that was requested at the last silence. */
  head: Position | 'asked' | undefined
}

/** `$all` after a position over one connection, in batches of what has arrived. Ends or throws as the call does; throws LogWentBack. */
export async function* allSubscription(options: AllSubscriptionOptions): AsyncGenerator<Batch, void, undefined> {
  const call: Call = {
    ...{ buffer: new SubscriptionBuffer(options.after), wake: createWake(), isConfirmed: false },
    ...{ stub: undefined, ended: undefined, retract: undefined, head: undefined },
  }
  const gone = new AbortController()
  const unlink = onAbort(options.signal, () => {
    gone.abort()
    call.wake.call()
  })
  void pump(options, call, gone.signal)
  try {
    yield* batches(options, call)
  } finally {
    unlink()
    gone.abort()
    call.retract?.()
    call.buffer.release()
  }
}

async function* batches(options: AllSubscriptionOptions, call: Call): AsyncGenerator<Batch, void, undefined> {
  const { signal, heartbeatMs } = options
  const { buffer, wake } = call
  const rate = createBatchRate(options.batchMs)
  while (!signal.aborted && !call.isConfirmed && call.ended === undefined) await wake.wait(heartbeatMs)
  if (call.ended === undefined && !signal.aborted) await options.check.look(call.stub)
  if (call.ended === undefined && call.stub !== undefined) call.retract = options.check.trustWhileOpen(call.stub)
  while (!signal.aborted) {
    const isWoken = buffer.hasNews || (await wake.wait(heartbeatMs))
    if (buffer.hasNews) {
      await rate.next(signal)
      if (signal.aborted) return
      const batch = buffer.take()
      rate.passed(batch.events.length)
      yield batch
    } else if (call.ended !== undefined) return throwIfFailed(call.ended)
    else if (await agrees(options, call)) yield { events: [], to: buffer.taken, caughtUp: true }
    else if (!isWoken) ask(options, call)
  }
}

const throwIfFailed = (ended: Readonly<{ error?: unknown }>): void => {
  if ('error' in ended) throw ended.error
}

const pump = async ({ connection, after }: AllSubscriptionOptions, call: Call, signal: AbortSignal): Promise<void> => {
  const { buffer, wake } = call
  const from = comparePositions(after, START) === 0 ? 'start' : after
  const streams = async (): Promise<StreamsClient> => {
    call.stub = await connection.streams()
    return call.stub
  }
  const take = (answer: ReadAnswer): Promise<void> | undefined => {
    call.isConfirmed = true
    buffer.put(answer)
    wake.call()
    return signal.aborted ? undefined : buffer.room()
  }
  let ended: Call['ended'] = {}
  try {
    await readCall({ connection: { ...connection, streams }, request: subscribeRequest(from), take, signal })
  } catch (error) {
    ended = { error }
  }
  call.ended = ended
  call.retract?.()
  wake.call()
}

/** Requests the head, one request at a time, without waiting for it: events that come meanwhile go first. */
const ask = ({ head }: AllSubscriptionOptions, call: Call): void => {
  if (call.head === 'asked') return
  call.head = 'asked'
  const answered = (position: Position | undefined): void => {
    call.head = position
    call.wake.call()
  }
  head().then(answered, () => answered(undefined))
}

/** Whether the log ends where this subscription is. One that ends before it is another log, or has lost its end. */
const agrees = async ({ check }: AllSubscriptionOptions, call: Call): Promise<boolean> => {
  const { head, buffer } = call
  if (head === undefined || head === 'asked') return false
  call.head = undefined
  const order = comparePositions(head, buffer.taken)
  if (order >= 0) return order === 0
  await check.look()
  throw new Unavailable(`the event log ends at ${head.commit}, before what its subscription delivered`)
}

/**
 * Lets a batch through at once after silence, otherwise so long after the one before: a fifth of `ms` for each event that it had, at most `ms`.
 * So one writer alone waits little, and many share a batch. One caller at a time.
 */
type BatchRate = Readonly<{
  /** Resolves early when the signal aborts. */
  next: (signal: AbortSignal) => Promise<void>
  passed: (events: number) => void
}>

const SHARES = 5

/** Even an immediate batch leaves a turn of the event loop later: all that one packet brings is then there. */
export function createBatchRate(ms: number): BatchRate {
  let due = Number.NEGATIVE_INFINITY
  return {
    next: async (signal) => {
      await new Promise((resolve) => setImmediate(resolve))
      const wait = due - performance.now()
      if (wait > 0) await pause(wait, signal)
    },
    passed: (events) => {
      due = performance.now() + (ms * Math.min(events, SHARES)) / SHARES
    },
  }
}

/**
 * Wakes the one reader that waits; a call without a waiter ends the next wait. Each wait ends in a later turn of the event loop, even one that
 * need not wait, so that frequent calls do not starve timers and sockets. It keeps nothing of a wait that is over.
 */
type Wake = Readonly<{
  call: () => void
  /** True when called, false after `ms`. */
  wait: (ms: number) => Promise<boolean>
}>

function createWake(): Wake {
  let called = false
  let waiter: (() => void) | undefined
  return {
    call: () => {
      called = true
      waiter?.()
    },
    wait: (ms) =>
      new Promise((resolve) => {
        const end = (byCall: boolean): void => {
          clearTimeout(timer)
          waiter = undefined
          if (byCall) called = false
          setImmediate(resolve, byCall)
        }
        const timer = setTimeout(end, ms, false)
        waiter = () => end(true)
        if (called) end(true)
      }),
  }
}
