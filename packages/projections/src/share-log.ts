import type { DecodedBatch, EventLog } from '@tidings/codec'
import type { Position, SubscribeOptions } from '@tidings/event-store'
import { createTail, type Tail } from './tail.ts'

const MAX_BATCH = 2_000

/** `tail` is how far the shared subscription has come; null while nobody is subscribed. */
export type SharedLog = EventLog & Readonly<{ tail: () => Position | null }>

/**
 * The same log with one subscription for all subscribers of the process, so that an event is read and decoded once however many
 * projections and caches want it. Nobody holds anybody up: each takes what it has not had from a bounded tail and, when it is
 * further behind, pages of the log until it is back. The subscription runs while somebody is subscribed.
 */
export const shareLog = (log: EventLog): SharedLog => {
  const shared: Shared = { log, tail: null, users: 0 }
  return {
    ...log,
    tail: () => shared.tail?.position() ?? null,
    subscribe: (options) => follow(shared, options),
    close: async () => {
      shared.tail?.close()
      await log.close()
    },
  }
}

type Shared = { readonly log: EventLog; tail: Tail | null; users: number }

async function* follow(shared: Shared, options: SubscribeOptions): AsyncIterable<DecodedBatch> {
  const { log } = shared
  shared.users++
  try {
    let at = options.from === 'end' ? await log.head() : options.from
    while (!options.signal.aborted) {
      const tail = currentTail(shared)
      await tail.opened
      const version = tail.version()
      const batch = await next(log, tail, { at, limit: options.maxBatch ?? MAX_BATCH })
      if (batch === null) await tail.moved(version, options.signal)
      else {
        at = batch.to
        yield batch
      }
    }
  } finally {
    if (--shared.users === 0) {
      shared.tail?.close()
      shared.tail = null
    }
  }
}

/** A tail that has ended has thrown its reason at everybody who waited on it; the next one starts anew. */
const currentTail = (shared: Shared): Tail => {
  if (shared.tail === null || shared.tail.ended()) shared.tail = createTail(shared.log)
  return shared.tail
}

type Next = Readonly<{ at: Position | 'start'; limit: number }>

/** Null when there is nothing after `at` yet. */
const next = async (log: EventLog, tail: Tail, { at, limit }: Next): Promise<DecodedBatch | null> => {
  if (tail.covers(at)) return tail.after(at, limit)
  const page = await log.readAll(at, limit)
  return page.events.length === 0 && page.caughtUp ? null : page
}
