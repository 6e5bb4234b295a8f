import type { TemplateEvent, TemplateId, WorkspaceId } from '@tidings/domain'
import { type ChangedBy, createReferenceCache, type ReferenceCache } from '@tidings/log-views'
import type { TemplateRow } from '@tidings/read-models'
import type { Pool } from 'pg'
import type { DirectoryTemplate } from '../directory.ts'
import { keyOf, rowsAtCheckpoint, splitKeys } from './at-checkpoint.ts'

type DirectoryTemplateRow = Readonly<{ n: number }> &
  Pick<TemplateRow, 'id' | 'channel' | 'archived' | 'subject' | 'html' | 'text' | 'body' | 'push' | 'from_name'>

const toTemplate = ({ id, channel, archived, from_name, subject, html, text, body, push }: DirectoryTemplateRow): DirectoryTemplate => ({
  templateId: id,
  channel,
  archived,
  content: { subject, html, text, body, push, fromName: from_name },
})

type Changed = Readonly<{ data: Readonly<{ templateId: TemplateId }>; meta: Readonly<{ workspaceId: WorkspaceId }> }>
const changed = ({ data, meta }: Changed): readonly string[] => [keyOf(meta.workspaceId, data.templateId)]

const invalidates: ChangedBy<TemplateEvent> = {
  TemplateCreated: 'nothing',
  TemplateContentChanged: changed,
  TemplateArchived: changed,
  TemplateRestored: changed,
}

/** Templates under `<workspaceId>/<templateId>`, archived ones too. */
export function templatesById(pool: Pool): ReferenceCache<DirectoryTemplate> {
  return createReferenceCache({
    name: 'templates',
    invalidates,
    load: rowsAtCheckpoint<DirectoryTemplateRow, DirectoryTemplate>(pool, {
      name: 'directory templates',
      projections: ['templates'],
      values: splitKeys,
      toEntry: toTemplate,
      select: `select keys.n::int as n, t.id, t.channel, t.archived, t.subject, t.html, t.text, t.body, t.push, t.from_name
        from unnest($2::uuid[], $3::uuid[]) with ordinality keys(workspace_id, id, n)
        join read.templates t on t.workspace_id = keys.workspace_id and t.id = keys.id`,
    }),
  })
}
