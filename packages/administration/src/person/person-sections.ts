import type { ContentStore, StreamReader } from '@tidings/codec'
import { type ContactEvent, type ContactId, contactStream, type EmailContent, type WorkspaceId } from '@tidings/domain'
import { asksForErasure } from '@tidings/log-views'
import { forWorkspace, profileById, type ReadModels, toProfile } from '@tidings/read-models'
import type { Kysely } from 'kysely'
import { messagesOf } from './messages.ts'
import { personStreams } from './person-streams.ts'
import { type Section, sectionsOf } from './sections.ts'

type Sources = Readonly<{ db: Kysely<ReadModels>; log: StreamReader; contents: Pick<ContentStore<EmailContent>, 'get'> }>

/** Everything about a person (GDPR, Article 15), as the read side shows it and the log tells it; null where there is no such person, or none any more. */
export async function personSections(
  { db, log, contents }: Sources,
  { workspaceId, contactId }: Readonly<{ workspaceId: WorkspaceId; contactId: ContactId }>,
): Promise<readonly Section[] | null> {
  const row = await profileById(db)(workspaceId, contactId)
  const own = await log.readStream<ContactEvent>(workspaceId, contactStream(workspaceId, contactId), { pastLimits: true })
  if (row === undefined || own.some(asksForErasure)) return null
  const read = forWorkspace(db, workspaceId)
  const suppressed = await read.suppressions().select(['channel', 'reasons', 'updated_at']).where('contact_id', '=', contactId).execute()
  const lists = await read.lists().select(['id', 'name', 'type']).execute()
  const ids = lists.map(({ id }) => id)
  const memberships =
    ids.length === 0
      ? []
      : await read.listMembers().select(['list_id', 'added_at']).where('list_id', 'in', ids).where('contact_id', '=', contactId).execute()
  const addedAt = new Map(memberships.map(({ list_id, added_at }) => [list_id, added_at]))
  return sectionsOf({
    ...{ log, workspaceId, contactId, own, streams: personStreams(read, { contactId, own }) },
    profile: toProfile(row),
    suppressions: suppressed.map(({ channel, reasons, updated_at }) => ({ channel, reasons, at: updated_at.toISOString() })),
    lists: lists
      .filter(({ id }) => addedAt.has(id))
      .map(({ id, name, type }) => ({ id, name, type, addedAt: addedAt.get(id)?.toISOString() ?? null })),
    messages: messagesOf({ log, contents, workspaceId }),
  })
}
