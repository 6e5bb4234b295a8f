import { type ContactEvent, type ContactId, contactStream, Refused, type WorkspaceId } from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import { asksForErasure } from '@tidings/log-views'
import type { DashboardDependencies } from '../dependencies.ts'

/** Where the stream of a contact ends. Refused as unknown where there is none, and from the request to erase it on. */
export async function knownContact(
  { log }: Pick<DashboardDependencies, 'log'>,
  { workspaceId, contactId }: Readonly<{ workspaceId: WorkspaceId; contactId: ContactId }>,
): Promise<Position> {
  const [last] = await log.readStream<ContactEvent>(workspaceId, contactStream(workspaceId, contactId), {
    direction: 'backwards',
    limit: 1,
  })
  if (last === undefined || asksForErasure(last)) throw new Refused('contact_not_found')
  return last.position
}
