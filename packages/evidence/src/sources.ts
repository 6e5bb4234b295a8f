import type { Recorded, StreamReader } from '@tidings/codec'
import type { WorkspaceId } from '@tidings/domain'
import { streamEvents } from '@tidings/log-views'
import type { Pool } from 'pg'

/** The log says what happened; the tables say what waits, and what the last tries of webhooks were. */
export type Sources = Readonly<{ log: StreamReader; pool: Pool }>

/** A whole stream, of those that stay short: the workspace's own, a contact's, a message's. */
export async function readAll<E extends Readonly<{ type: string; data: unknown }>>(
  { log }: Pick<Sources, 'log'>,
  workspaceId: WorkspaceId,
  stream: string,
): Promise<readonly Recorded<E>[]> {
  const events: Recorded<E>[] = []
  for await (const event of streamEvents<E>(log, { workspaceId, stream })) events.push(event)
  return events
}
