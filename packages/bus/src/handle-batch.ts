import type { Recorded } from '@tidings/codec'
import type { Position } from '@tidings/event-store'
import { isRetryable, transaction } from '@tidings/postgres'
import type { Pool } from 'pg'
import type { Consumer, Cursor, LetterOf } from './port.ts'
import { referenceOf, setAside, workspaceOf } from './set-aside.ts'

export type Handling = Readonly<{ consumer: Consumer; pool: Pool; onFault?: (error: unknown, letter?: LetterOf) => void }>

/** Events in order, and the reader's position after them. */
type TakenEvents = Readonly<{ events: readonly Recorded[]; to: Position }>

/**
 * Handles a batch and moves the cursor, in one transaction, and where consumer and cursor allow it in one statement. A retryable error (a lost
 * connection, a deadlock) is thrown, and the reader starts again at its position. After any other error its halves are handled one after the
 * other, and so on: an event that fails alone becomes a dead letter, and one of 2 000 takes 22 transactions more, not 2 000.
 */
export async function handleBatch(handling: Handling, cursor: Cursor, { events, to }: TakenEvents): Promise<void> {
  try {
    await effect(handling, cursor, { events, to })
  } catch (error) {
    const [event] = events
    if (isRetryable(error) || event === undefined) throw error
    if (events.length === 1) return await passFailed(handling, cursor, { event, to, error })
    const half = Math.ceil(events.length / 2)
    const [first, second] = [events.slice(0, half), events.slice(half)]
    await handleBatch(handling, cursor, { events: first, to: first.at(-1)?.position ?? to })
    await handleBatch(handling, cursor, { events: second, to })
  }
}

async function effect(handling: Handling, cursor: Cursor, taken: TakenEvents): Promise<void> {
  const afterCommit = (await inOneStatement(handling, cursor, taken)) ?? (await inTransaction(handling, cursor, taken))
  cursor.moved(taken.to)
  afterCommit?.()
}

/** Null where the effect needs a transaction. */
async function inOneStatement(
  { consumer, pool }: Handling,
  { moveWith }: Cursor,
  { events, to }: TakenEvents,
): Promise<null | (() => void)> {
  if (moveWith === undefined || events.length === 0) return null
  const one = await consumer.effect?.(events)
  if (!one) return null
  const value = await moveWith(pool, to, one)
  return () => one.done(value)
}

function inTransaction({ consumer, pool }: Handling, cursor: Cursor, { events, to }: TakenEvents): Promise<undefined | (() => void)> {
  return transaction(pool, async (tx) => {
    await cursor.move(tx, to)
    return events.length > 0 ? await consumer.handle(events, tx) : undefined
  })
}

type Failed = Readonly<{ event: Recorded; to: Position; error: unknown }>

async function passFailed(handling: Handling, cursor: Cursor, { event, to, error }: Failed): Promise<void> {
  const letter = {
    consumer: handling.consumer.group,
    position: event.position,
    after: cursor.at(),
    workspaceId: workspaceOf(event),
    error,
  }
  await transaction(handling.pool, async (tx) => {
    await cursor.move(tx, to)
    await setAside(tx, letter)
  })
  cursor.moved(to)
  handling.onFault?.(error, { consumer: letter.consumer, workspaceId: letter.workspaceId, reference: referenceOf(letter.position) })
}

/** Whether a batch can have an effect. Where the look at it fails, it can: `handle` fails in turn, and its failures are taken care of. */
export async function isConcerned(
  { concerns }: Readonly<{ concerns?: (events: readonly Recorded[]) => boolean | Promise<boolean> }>,
  events: readonly Recorded[],
): Promise<boolean> {
  if (events.length === 0 || concerns === undefined) return events.length > 0
  try {
    return await concerns(events)
  } catch {
    return true
  }
}
