import { sharedStatement } from '@tidings/async'
import type { EventLog, Recorded } from '@tidings/codec'
import { comparePositions, type Position } from '@tidings/event-store'
import { isRetryable, transaction } from '@tidings/postgres'
import type { Pool } from 'pg'
import { isStart } from './checkpoint.ts'
import type { Consumer } from './port.ts'
import { setAside } from './set-aside.ts'
import { unknownIn } from './unknown-event.ts'
import { unlessStopped } from './unless-stopped.ts'

type Marked = Readonly<{ id: string; reference: string; after: Position }>
/** `signal` ends waiting for the log; the letter stays marked. */
type Deps = Readonly<{ consumer: Consumer; log: EventLog; pool: Pool; signal: AbortSignal }>

/** The log has no such event, or its type is not one of the consumer's. */
class NotInTheLog extends Error {
  override readonly name = 'NotInTheLog'
}

type RedrivenRow = Readonly<{ id: string; consumer: string; reference: string; commit: bigint; prepare: bigint }>

/** All consumers of a process look at the same moments. */
const markedOf = sharedStatement({
  ask: async (pool: Pool, groups: readonly string[]) => {
    const { rows } = await pool.query<RedrivenRow>({
      name: 'marked dead letters',
      text: `select d.id, d.consumer, d.reference, d.after_commit as commit, d.after_prepare as prepare
             from unnest($1::text[]) g(consumer) cross join lateral (
               select * from ops.dead_letter where consumer = g.consumer and state = 'redriving' order by first_seen_at limit 50) d
             order by d.first_seen_at`,
      values: [groups],
    })
    return rows
  },
  pick: (rows, group) => rows.filter(({ consumer }) => consumer === group),
})

/**
 * Handles the events of dead letters that are marked for a redrive, each in a transaction of its own: the letter is settled when its work is
 * admitted, open again when it fails. A retryable error is thrown, and leaves it marked.
 */
export async function redriveMarked(deps: Deps): Promise<void> {
  const { consumer, pool } = deps
  for (const { id, reference, commit, prepare } of await markedOf(pool)(consumer.group))
    await redriveOne(deps, { id, reference, after: { commit, prepare } })
}

async function redriveOne({ consumer, log, pool, signal }: Deps, marked: Marked): Promise<void> {
  const [commit = '0', prepare = '0'] = marked.reference.split('/')
  const position = { commit: BigInt(commit), prepare: BigInt(prepare) }
  try {
    const event = await readAt(log, { position, after: marked.after, types: consumer.types, signal })
    if (event === null) throw new NotInTheLog(`the log has no event at ${marked.reference} that ${consumer.group} takes: discard it`)
    const wake = await transaction(pool, async (tx) => {
      const mine = await tx.query(
        `update ops.dead_letter set state = 'redriven', last_seen_at = now() where id = $1 and state = 'redriving'`,
        [marked.id],
      )
      // Every member of a group that reads Kafka looks for marked letters: only one may handle it.
      return mine.rowCount === 0 ? undefined : await consumer.handle([event], tx)
    })
    wake?.()
  } catch (error) {
    // What only a newer build knows stays a dead letter: the group has passed it, and must not stop for it.
    if (isRetryable(error) && unknownIn(error) === null) throw error
    await transaction(pool, (tx) => setAside(tx, { consumer: consumer.group, position, after: marked.after, workspaceId: null, error }))
  }
}

type EventToRead = Readonly<{ position: Position; after: Position; types: readonly string[]; signal: AbortSignal }>

/** The event at a position; null when this consumer does not take its type. */
async function readAt(log: EventLog, { position, after, types, signal }: EventToRead): Promise<Recorded | null> {
  for (let from = after; comparePositions(from, position) < 0; ) {
    const batch = await unlessStopped(log.readAll(isStart(from) ? 'start' : from, 200, { types }), signal)
    const found = batch.events.find((event) => comparePositions(event.position, position) === 0)
    if (found) return found
    if (comparePositions(batch.to, from) <= 0) return null
    from = batch.to
  }
  return null
}
