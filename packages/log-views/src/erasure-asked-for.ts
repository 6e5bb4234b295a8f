import type { StreamReader } from '@tidings/codec'
import { type ContactEvent, type ContactId, contactStream, type WorkspaceId } from '@tidings/domain'

/**
 * True from the request to erase a contact on, before its key is gone. Reads only the stream's last event: after the request only the event of
 * its completion follows (ADR 37).
 */
export async function isErasureAskedFor(log: StreamReader, workspaceId: WorkspaceId, contactId: ContactId): Promise<boolean> {
  const stream = contactStream(workspaceId, contactId)
  const [last] = await log.readStream<ContactEvent>(workspaceId, stream, { direction: 'backwards', limit: 1 })
  return last !== undefined && asksForErasure(last)
}

/** The same of the last event of a contact's stream. */
export function asksForErasure({ type }: Readonly<{ type: string }>): boolean {
  return type === 'ContactErasureRequested' || type === 'ContactErased'
}
