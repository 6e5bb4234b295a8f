import type { Recorded, StreamReader } from '@tidings/codec'
import { OperationFailed } from '@tidings/config'
import { type ContactEvent, type ContactId, contactStream, saidAt, type WorkspaceId } from '@tidings/domain'
import { streamEvents } from '@tidings/log-views'

/** The whole stream of a contact, oldest first, page by page. Throws one sentence where the log hides its beginning. */
export async function* contactEvents(
  log: StreamReader,
  { workspaceId, contactId }: Readonly<{ workspaceId: WorkspaceId; contactId: ContactId }>,
): AsyncGenerator<Recorded<ContactEvent>> {
  let isFirst = true
  for await (const event of streamEvents<ContactEvent>(log, { workspaceId, stream: contactStream(workspaceId, contactId) })) {
    if (isFirst && event.revision > 0)
      throw new OperationFailed(
        `The history of contact ${contactId} begins at revision ${event.revision}: the log hides what was before. Run \`tidings log verify\`.`,
      )
    isFirst = false
    yield event
  }
}

/** When an event was true: a statement counts from when it was given (M67). */
export function momentOf(event: Recorded<ContactEvent>): string {
  return event.type === 'ContactConsentRecorded' ? saidAt(event) : event.meta.at
}
