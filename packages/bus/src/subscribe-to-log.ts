import type { DecodedBatch } from '@tidings/codec'
import { comparePositions, lagSecondsAfter, type Position, Unavailable } from '@tidings/event-store'
import { whileLeased } from '@tidings/jobs'
import { transaction } from '@tidings/postgres'
import { advance, cursorOf, groupLeases, isStart } from './checkpoint.ts'
import { handleBatch, isConcerned } from './handle-batch.ts'
import { forgetHandled, notHandled } from './handled.ts'
import type { ConsumerOptions } from './port.ts'
import { redriveMarked } from './redrive.ts'
import type { Session, Tally } from './session.ts'
import { brokenAt, isForeign, referenceOf, setAside } from './set-aside.ts'

/** How often a checkpoint moves when only events of other consumers go by. */
const QUIET_MS = 2_000
/** How often marked dead letters are looked for. */
const REDRIVE_MS = 5_000

/** `whileHandled`: end as soon as the session is behind everything that the group has handled in Kafka. */
export type Watch = Readonly<{ signal: AbortSignal; tally: Tally; whileHandled?: boolean }>

/** Handles the log from the session's place on until the signal, an error, or the loss of the lease. */
export async function subscribeToLog(options: ConsumerOptions, session: Session, watch: Watch): Promise<void> {
  const { signal, tally, whileHandled = false } = watch
  const { pool } = options
  const renew = () => groupLeases.renew(pool, session.lease)
  await whileLeased({ leaseMs: groupLeases.leaseMs, renew, signal }, async (ending) => {
    await forgetHandled(pool, session)
    while (!ending.aborted && !(whileHandled && session.handled === null))
      await subscribeUntilBroken(options, session, { signal: ending, tally, whileHandled })
  })
}

/**
 * One subscription. Returns at the signal, or after an event that no build can decode, which it passes. Throws at an event that only a newer
 * build knows: the checkpoint stays before it.
 */
async function subscribeUntilBroken(options: ConsumerOptions, session: Session, watch: Watch): Promise<void> {
  const { consumer, log, maxBatch = 2_000 } = options
  const from = isStart(session.at) ? 'start' : session.at
  const quiet = { due: performance.now() + QUIET_MS, redriveDue: performance.now() + QUIET_MS }
  try {
    for await (const batch of log.subscribe({ from, signal: watch.signal, maxBatch, types: consumer.types })) {
      if (watch.signal.aborted) return
      // This also holds for a batch from memory: in a database that was restored with its log, the fence may let it pass.
      await log.confirm()
      const events = notHandled(session, batch.events)
      if (await isConcerned(consumer, events)) await handleBatch(options, cursorOf(session), { events, to: batch.to })
      else if (session.handled !== null) await pass(options, session, batch.to)
      if (performance.now() >= quiet.due) {
        await pass(options, session, batch.to)
        quiet.due = performance.now() + QUIET_MS
      }
      if (performance.now() >= quiet.redriveDue) {
        await redriveMarked({ ...options, signal: watch.signal })
        quiet.redriveDue = performance.now() + REDRIVE_MS
      }
      report(watch.tally, session, batch)
      if (session.handled === null) continue
      await forgetHandled(options.pool, session)
      if (watch.whileHandled && session.handled === null) return
    }
    // A closed log ends every subscription at once: opening the next without a pause would block the event loop.
    if (!watch.signal.aborted) throw new Unavailable('the subscription to the event log ended; the consumer opens another')
  } catch (error) {
    const position = brokenAt(error, consumer.types)
    if (position === null) throw error
    await passBroken(options, session, { error, position })
  }
}

async function pass({ pool }: ConsumerOptions, session: Session, to: Position): Promise<void> {
  if (comparePositions(to, session.at) <= 0) return
  await advance(pool, session, to)
  session.at = to
}

async function passBroken(
  { consumer, pool, onFault }: ConsumerOptions,
  session: Session,
  { error, position }: Readonly<{ error: unknown; position: Position }>,
): Promise<void> {
  await transaction(pool, async (tx) => {
    await advance(tx, session, position)
    if (isForeign(error, consumer.types)) return
    await setAside(tx, { consumer: consumer.group, position, after: session.at, workspaceId: null, error })
  })
  session.at = position
  const letter = { consumer: consumer.group, workspaceId: null, reference: referenceOf(position) }
  if (isForeign(error, consumer.types)) onFault?.(error)
  else onFault?.(error, letter)
}

function report(tally: Tally, session: Session, batch: DecodedBatch): void {
  tally.position = session.at
  tally.caughtUp = batch.caughtUp
  tally.lagSeconds = lagSecondsAfter(batch)
}
