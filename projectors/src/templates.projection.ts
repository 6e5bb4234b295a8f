import type { TemplateContent, TemplateEvent } from '@tidings/domain'
import { templateMergeFields } from '@tidings/mail-content'
import { defineProjection, defineTable, row } from '@tidings/projections'
import type { TemplateRow } from '@tidings/read-models'

const templates = defineTable<TemplateRow<string>>({
  name: 'templates',
  columns: {
    workspace_id: 'uuid',
    id: 'uuid',
    name: 'text',
    channel: 'text',
    archived: 'boolean',
    subject: 'text?',
    html: 'text?',
    text: 'text?',
    body: 'text?',
    push: 'jsonb?',
    from_name: 'text?',
    merge_fields: 'text[]',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
  },
  key: ['workspace_id', 'id'],
  indices: [{ name: 'updated', on: 'workspace_id, updated_at, id' }],
  cachedRows: 100,
})

/** The content's columns, and the merge tags found in any of them. */
const contentColumns = ({ subject, html, text, body, push, fromName }: TemplateContent) => ({
  subject,
  html,
  text,
  body,
  push,
  from_name: fromName,
  merge_fields: templateMergeFields({ subject, html, text, body, push }),
})

/** The template library of each workspace, archived ones included. */
export const templatesProjection = defineProjection<TemplateEvent>({
  name: 'templates',
  version: 1,
  tables: [templates],
  reads: ({ type, data, meta: { workspaceId } }) => (type === 'TemplateCreated' ? [] : [row(templates, workspaceId, data.templateId)]),
  on: {
    TemplateCreated: ({ data: { templateId, name, channel, archived, ...content }, meta: { workspaceId, at } }, rows) =>
      rows.create(templates, {
        workspace_id: workspaceId,
        id: templateId,
        name,
        channel,
        archived,
        ...contentColumns(content),
        created_at: at,
        updated_at: at,
      }),

    TemplateContentChanged: ({ data: { templateId, ...content }, meta: { workspaceId, at } }, rows) => {
      const known = rows.get(templates, workspaceId, templateId)
      if (known !== undefined) rows.put(templates, { ...known, ...contentColumns(content), updated_at: at })
    },

    TemplateArchived: ({ data: { templateId }, meta: { workspaceId, at } }, rows) => {
      const known = rows.get(templates, workspaceId, templateId)
      if (known !== undefined) rows.put(templates, { ...known, archived: true, updated_at: at })
    },

    TemplateRestored: ({ data: { templateId }, meta: { workspaceId, at } }, rows) => {
      const known = rows.get(templates, workspaceId, templateId)
      if (known !== undefined) rows.put(templates, { ...known, archived: false, updated_at: at })
    },
  },
})
