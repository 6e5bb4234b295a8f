import type { DecodedBatch, Recorded } from '@tidings/codec'
import type { Position } from '@tidings/event-store'
import { isTransient, transaction } from '@tidings/postgres'
import { advance, Fenced, type Session } from './checkpoint.ts'
import type { DirectConsumerOptions } from './direct-consumer.ts'
import { setAside, workspaceOf } from './set-aside.ts'

/**
 * Handles a batch and moves the checkpoint, in one transaction. What may pass (a lost connection, a deadlock) is thrown on, and the
 * session begins again from the checkpoint; else the events are taken one by one and those that fail alone are set aside.
 */
export async function handleBatch(options: DirectConsumerOptions, session: Session, batch: DecodedBatch): Promise<void> {
  try {
    await effect(options, session, { events: batch.events, to: batch.to })
  } catch (error) {
    if (mayPass(error)) throw error
    for (const event of batch.events) await handleAlone(options, session, event)
  }
}

async function effect(
  { consumer, pool }: DirectConsumerOptions,
  session: Session,
  { events, to }: Readonly<{ events: readonly Recorded[]; to: Position }>,
): Promise<void> {
  const afterCommit = await transaction(pool, async (tx) => {
    await advance(tx, session, to)
    return await consumer.handle(events, tx)
  })
  session.at = to
  afterCommit?.()
}

async function handleAlone(options: DirectConsumerOptions, session: Session, event: Recorded): Promise<void> {
  try {
    await effect(options, session, { events: [event], to: event.position })
  } catch (error) {
    if (mayPass(error)) throw error
    const letter = { consumer: options.consumer.group, position: event.position, after: session.at, workspaceId: workspaceOf(event), error }
    await transaction(options.pool, async (tx) => {
      await advance(tx, session, event.position)
      await setAside(tx, letter)
    })
    session.at = event.position
    options.onFault?.(error)
  }
}

const mayPass = (error: unknown): boolean =>
  error instanceof Fenced || isTransient(error) || (error instanceof Error && 'retryable' in error && error.retryable === true)
