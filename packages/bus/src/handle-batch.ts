import type { Recorded } from '@tidings/codec'
import type { Position } from '@tidings/event-store'
import { isRetryable, transaction } from '@tidings/postgres'
import type { Pool } from 'pg'
import type { Cursor } from './cursor.ts'
import type { Consumer } from './port.ts'
import { setAside, workspaceOf } from './set-aside.ts'

export type Handling = Readonly<{ consumer: Consumer; pool: Pool; onFault?: (error: unknown) => void }>

/** Events in order, and the reader's position after them. */
type Taken = Readonly<{ events: readonly Recorded[]; to: Position }>

/**
 * Handles a batch and moves the cursor, in one transaction. A retryable error (a lost connection, a deadlock) is thrown, and the reader
 * starts again at its position. After any other error the events are handled one by one, and those that fail alone become dead letters.
 */
export async function handleBatch(handling: Handling, cursor: Cursor, { events, to }: Taken): Promise<void> {
  try {
    await effect(handling, cursor, { events, to })
  } catch (error) {
    if (isRetryable(error)) throw error
    for (const event of events) await handleAlone(handling, cursor, event)
    const last = events.at(-1)
    if (last?.position.commit !== to.commit || last.position.prepare !== to.prepare) await effect(handling, cursor, { events: [], to })
  }
}

async function effect({ consumer, pool }: Handling, cursor: Cursor, { events, to }: Taken): Promise<void> {
  const afterCommit = await transaction(pool, async (tx) => {
    await cursor.move(tx, to)
    return events.length > 0 ? await consumer.handle(events, tx) : undefined
  })
  cursor.moved(to)
  afterCommit?.()
}

async function handleAlone(handling: Handling, cursor: Cursor, event: Recorded): Promise<void> {
  try {
    await effect(handling, cursor, { events: [event], to: event.position })
  } catch (error) {
    if (isRetryable(error)) throw error
    const letter = {
      consumer: handling.consumer.group,
      position: event.position,
      after: cursor.at(),
      workspaceId: workspaceOf(event),
      error,
    }
    await transaction(handling.pool, async (tx) => {
      await cursor.move(tx, event.position)
      await setAside(tx, letter)
    })
    cursor.moved(event.position)
    handling.onFault?.(error)
  }
}
