import { type Backoff, backoffDelay, onAbort, pause } from '@tidings/async'
import { type Batch, comparePositions, type Position, type RecordedEvent, START } from './port.ts'

export type Drop = Readonly<{ reason: 'ended' | 'failed' | 'stalled'; error?: unknown; attempt: number; resumeAfter: Position }>

export type SupervisorOptions = Readonly<{
  from: Position | 'start' | 'end'
  signal: AbortSignal
  /** One connection's worth of subscription, exclusive of `after`. May end or throw at any time; must stop when `signal` aborts. */
  open: (after: Position, signal: AbortSignal) => AsyncIterable<Batch>
  /** The end of the log, read by another way than the supervised subscription. */
  head: () => Promise<Position>
  backoff?: Backoff
  /** Silence after which the position is compared with `head()`; a second such silence behind that head is a stall. Default 5 000 ms. */
  watchdogMs?: number
  onDrop?: (drop: Drop) => void
}>

type Pulled = IteratorResult<Batch> | 'silence'

/**
 * A subscription that outlives its connections: a quiet end, an error and a silent stall are all drops, after which it opens again
 * behind the last delivered batch, with jittered backoff. Never repeats or loses an event, never goes back; ends only by its signal.
 */
export async function* supervise(options: SupervisorOptions): AsyncGenerator<Batch, void, undefined> {
  const { signal, onDrop } = options
  let position = await startingPoint(options)
  for (let attempt = 1; !signal.aborted; attempt++) {
    const link = new AbortController()
    const unlink = onAbort(signal, () => link.abort())
    let drop: Readonly<{ reason: 'ended' | 'failed' | 'stalled'; error?: unknown }> = { reason: 'ended' }
    try {
      const source = options.open(position, link.signal)
      for await (const batch of watched(source, { ...options, position: () => position })) {
        const rest = after(position, batch)
        position = rest.to
        attempt = 0
        yield rest
      }
    } catch (error) {
      drop = error instanceof Stalled ? { reason: 'stalled' } : { reason: 'failed', error }
    } finally {
      unlink()
      link.abort()
    }
    if (signal.aborted) return
    onDrop?.({ ...drop, attempt: attempt + 1, resumeAfter: position })
    await pause(backoffDelay(attempt, options.backoff), signal)
  }
}

class Stalled extends Error {}

/** 'end' is fixed once, before the first connection: opening again at a later end would lose what came between. */
const startingPoint = async ({ from, head, signal, backoff, onDrop }: SupervisorOptions): Promise<Position> => {
  if (from !== 'end') return from === 'start' ? START : from
  for (let attempt = 1; !signal.aborted; attempt++) {
    try {
      return await head()
    } catch (error) {
      onDrop?.({ reason: 'failed', error, attempt, resumeAfter: START })
      await pause(backoffDelay(attempt, backoff), signal)
    }
  }
  return START
}

/** Drops what a reconnection repeats, and keeps `to` from going back. */
const after = (position: Position, batch: Batch): Batch => {
  const isUnseen = (event: RecordedEvent): boolean => comparePositions(event.position, position) > 0
  const first = batch.events[0]
  const events = first === undefined || isUnseen(first) ? batch.events : batch.events.filter(isUnseen)
  return { events, to: comparePositions(batch.to, position) < 0 ? position : batch.to, caughtUp: batch.caughtUp }
}

type Watch = Readonly<{ head: () => Promise<Position>; watchdogMs?: number; signal: AbortSignal; position: () => Position }>

async function* watched(source: AsyncIterable<Batch>, watch: Watch): AsyncGenerator<Batch, void, undefined> {
  const iterator = source[Symbol.asyncIterator]()
  try {
    for (;;) {
      const result = await pull(iterator, watch)
      if (result === undefined || result.done === true) return
      yield result.value
    }
  } finally {
    // This is not awaited: a stalled source may never answer its `return`.
    iterator.return?.().catch(() => undefined)
  }
}

/** The next batch, or undefined once the signal aborts. Only this wait is watched: a slow consumer is not a stall. */
const pull = async (iterator: AsyncIterator<Batch>, watch: Watch): Promise<IteratorResult<Batch> | undefined> => {
  const next = iterator.next()
  next.catch(() => undefined)
  let mustReach: Position | undefined
  while (!watch.signal.aborted) {
    const result = await silenceOr(next, watch)
    if (result !== 'silence') return result
    if (mustReach !== undefined && comparePositions(watch.position(), mustReach) < 0) throw new Stalled()
    mustReach = await watch.head()
  }
  return undefined
}

const silenceOr = async (next: Promise<IteratorResult<Batch>>, watch: Watch): Promise<Pulled> => {
  const waiting = new AbortController()
  const unlink = onAbort(watch.signal, () => waiting.abort())
  const silence = pause(watch.watchdogMs ?? 5_000, waiting.signal).then((): Pulled => 'silence')
  try {
    return await Promise.race([next, silence])
  } finally {
    unlink()
    waiting.abort()
  }
}
