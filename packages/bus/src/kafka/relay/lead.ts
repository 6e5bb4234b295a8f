import { unlessAborted } from '@tidings/async'
import { type UnknownEventType, unknownType } from '@tidings/codec'
import { type Batch, comparePositions, lagSecondsAfter } from '@tidings/event-store'
import { whileLeased } from '@tidings/jobs'
import { type Kafka, Partitioners } from 'kafkajs'
import pTimeout from 'p-timeout'
import { isStart } from '../../checkpoint.ts'
import { portionsOf } from './portions.ts'
import { publish } from './publish.ts'
import { type Lead, moveLead, topicLeases } from './relay-lease.ts'
import type { RelayOptions, RelayTally } from './relay-options.ts'

type Leading = RelayOptions & Readonly<{ client: Kafka; lead: Lead; signal: AbortSignal; tally: RelayTally }>

const MAX_BATCH = 500
/** How often the checkpoint moves while nothing goes by that is published. */
const QUIET_MS = 2_000
/** A send may go on for this long after the stop. */
const GRACE_MS = 3_000

/** Publishes from the checkpoint on until the signal, a fault, or the loss of the lease. */
export async function lead(leading: Leading): Promise<void> {
  const { client, pool, signal } = leading
  const renew = () => topicLeases.renew(pool, leading.lead.lease)
  await whileLeased({ leaseMs: topicLeases.leaseMs, renew, signal }, async (ending) => {
    // Plain, not idempotent: after a send that failed although it was stored, an idempotent producer of this client loses the next.
    const createPartitioner = Partitioners.DefaultPartitioner
    const producer = client.producer({ allowAutoTopicCreation: false, idempotent: false, maxInFlightRequests: 1, createPartitioner })
    try {
      await unlessAborted(producer.connect(), ending)
      if (!ending.aborted) await follow(leading, { ending, producer })
    } finally {
      await pTimeout(producer.disconnect(), { milliseconds: GRACE_MS }).catch(() => undefined)
    }
  })
}

type Following = Readonly<{ ending: AbortSignal; producer: ReturnType<Kafka['producer']> }>

async function follow(leading: Leading, { ending, producer }: Following): Promise<void> {
  const { pool, store, lead: taken, tally } = leading
  Object.assign(tally, { leader: true, position: taken.at })
  let due = performance.now() + QUIET_MS
  // The next batch is read and prepared while one is on its way: 500 events take some 10 ms of each.
  for await (const { batch, portions } of prefetch(prepared(leading, ending))) {
    for (const portion of portions) {
      if (ending.aborted) return
      const quiet = portion.records.length === 0
      if (quiet && (performance.now() < due || comparePositions(portion.to, taken.at) <= 0)) continue
      // It may come from memory: events of a log that has gone back since must not be published.
      await store.confirm()
      const last = quiet ? new Map() : await untilSent(publish({ producer, lead: taken }, portion), ending)
      await moveLead(pool, taken, { to: portion.to, last })
      tally.published += portion.records.length
      due = performance.now() + QUIET_MS
    }
    report(tally, taken, batch)
  }
}

/** Ends, with what is before it, at an event of ours whose type this build does not know. */
async function* prepared({ store, types, declared, lead: { at } }: Leading, signal: AbortSignal) {
  const wanted = new Set(types)
  for await (const batch of store.subscribe({ from: isStart(at) ? 'start' : at, signal, maxBatch: MAX_BATCH })) {
    const { known, unknown } = splitAtUnknown(batch, declared)
    if (known !== null) yield { batch: known, portions: portionsOf(known.events, known.to, wanted) }
    if (unknown !== null) throw unknown
  }
}

/** The result, for which a stop waits a little and no longer. An event that is sent and not noted is published again. */
async function untilSent<Result>(sending: Promise<Result>, ending: AbortSignal): Promise<Result> {
  await unlessAborted(sending, ending)
  return await pTimeout(sending, { milliseconds: GRACE_MS })
}

function report(tally: RelayTally, taken: Lead, batch: Batch): void {
  tally.position = taken.at
  tally.lagSeconds = lagSecondsAfter(batch)
}

/** The same items, each fetched while the one before it is worked on: one ahead, never more. */
export async function* prefetch<Item>(source: AsyncIterable<Item>): AsyncGenerator<Item, void, undefined> {
  const items = source[Symbol.asyncIterator]()
  const fetch = () => {
    const next = items.next()
    // Handled now, so that a rejection that comes before the await is never unhandled.
    next.catch(() => undefined)
    return next
  }
  try {
    for (let next = fetch(); ; ) {
      const { value, done } = await next
      if (done) return
      next = fetch()
      yield value
    }
  } finally {
    // This is not awaited: the source may be waiting for its next item.
    items.return?.().catch(() => undefined)
  }
}

/** What of a batch may be published: all of it, or what is before an event of ours of a type that is not `declared`. */
type Split = Readonly<{ known: Batch | null; unknown: UnknownEventType | null }>

/** Splits a batch before the first event of ours whose type is not declared. Events of other products are passed. */
function splitAtUnknown(batch: Batch, declared: ReadonlySet<string> | undefined): Split {
  if (declared === undefined) return { known: batch, unknown: null }
  for (const [n, event] of batch.events.entries()) {
    if (declared.has(event.type)) continue
    const unknown = unknownType(event)
    if (!unknown.ours) continue
    const before = batch.events[n - 1]
    return { known: before ? { events: batch.events.slice(0, n), to: before.position, caughtUp: false } : null, unknown }
  }
  return { known: batch, unknown: null }
}
