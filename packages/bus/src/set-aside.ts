import { CorruptEvent, type Recorded, UnknownEventType } from '@tidings/codec'
import type { Position } from '@tidings/event-store'
import type { ClientBase } from 'pg'

/** An event that one consumer could not take: where it stands, and what stood before it, from where it can be read again. */
export type SetAside = Readonly<{ consumer: string; position: Position; after: Position; workspaceId: string | null; error: unknown }>

/** The place of the event that a reader of the log failed on, if the failure is about one event. */
export const brokenAt = (error: unknown): Position | null =>
  error instanceof CorruptEvent || error instanceof UnknownEventType ? error.position : null

/** True for an event of a type that this build does not know and the consumer does not ask for: nothing was missed. */
export const isForeign = (error: unknown, types: readonly string[]): boolean =>
  error instanceof UnknownEventType && !types.includes(error.type)

export const referenceOf = ({ commit, prepare }: Position): string => `${commit}/${prepare}`

/** Writes the dead letter; a repetition counts as a further attempt. */
export async function setAside(tx: ClientBase, { consumer, position, after, workspaceId, error }: SetAside): Promise<void> {
  const [name, message] = error instanceof Error ? [error.name, error.message] : ['Error', String(error)]
  await tx.query(
    `insert into ops.dead_letter as d (source, consumer, workspace_id, reference, after_commit, after_prepare, error_class, error)
     values ('event', $1, $2, $3, $4, $5, $6, left($7, 2000))
     on conflict (consumer, reference) do update set attempts = d.attempts + 1, state = 'open', error_class = excluded.error_class,
       error = excluded.error, last_seen_at = now()`,
    [consumer, workspaceId, referenceOf(position), after.commit, after.prepare, name, message],
  )
}

export const workspaceOf = (event: Recorded): string | null => event.meta.workspaceId
