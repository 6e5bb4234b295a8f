import { CorruptEvent, type Recorded, UnknownEventType } from '@tidings/codec'
import type { WorkspaceId } from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import { storableText } from '@tidings/postgres'
import type { ClientBase } from 'pg'
import type { Consumer } from './port.ts'

/** An event that one consumer could not handle: its position, and the position before it, from which it can be read again. */
export type SetAside = Readonly<{ consumer: string; position: Position; after: Position; workspaceId: WorkspaceId | null; error: unknown }>

/** True for an event of another product that the consumer does not ask for: nothing was missed. */
export function isForeign(error: unknown, types: readonly string[]): boolean {
  return error instanceof UnknownEventType && !error.ours && !types.includes(error.type)
}

/**
 * The position of an event that no process can decode: a reader may pass it. Null for every other failure, and for an event that only this
 * build does not know, where the reader must stop.
 */
export function brokenAt(error: unknown, types: readonly string[]): Position | null {
  return error instanceof CorruptEvent || (error instanceof UnknownEventType && isForeign(error, types)) ? error.position : null
}

/** How a dead letter names the position of its event. */
export function referenceOf({ commit, prepare }: Position): string {
  return `${commit}/${prepare}`
}

/** Writes the dead letter; a repetition counts as a further attempt. */
export async function setAside(tx: ClientBase, { consumer, position, after, workspaceId, error }: SetAside): Promise<void> {
  await insert(tx, AGAIN, { consumer, workspaceId, reference: referenceOf(position), after, error })
}

/** Like `setAside`, for a broken event that several readers meet: it is noted once. Does nothing for an event that the consumer does not ask for. */
export async function setAsideOnce(
  tx: ClientBase,
  {
    consumer: { group, types },
    position,
    after,
    error,
  }: Readonly<{ consumer: Consumer; position: Position; after: Position; error: unknown }>,
): Promise<void> {
  if (isForeign(error, types)) return
  await insert(tx, 'nothing', { consumer: group, workspaceId: null, reference: referenceOf(position), after, error })
}

const AGAIN = `update set attempts = d.attempts + 1, state = 'open', error_class = excluded.error_class,
       error = excluded.error, last_seen_at = now()`

type Letter = Omit<SetAside, 'position'> & Readonly<{ reference: string }>

async function insert(db: ClientBase, onConflict: string, letter: Letter): Promise<void> {
  const { consumer, workspaceId, reference, after, error } = letter
  const [name, message] = error instanceof Error ? [error.name, error.message] : ['Error', String(error)]
  await db.query(
    `insert into ops.dead_letter as d (source, consumer, workspace_id, reference, after_commit, after_prepare, error_class, error)
     values ('event', $1, $2, $3, $4, $5, $6, left($7, 2000))
     on conflict (consumer, reference) do ${onConflict}`,
    [consumer, workspaceId, reference, after.commit, after.prepare, name, storableText(message, 2_000)],
  )
}

export function workspaceOf(event: Recorded): WorkspaceId | null {
  return event.meta.workspaceId
}
