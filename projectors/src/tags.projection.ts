import type { TagsEvent } from '@tidings/domain'
import { defineProjection, defineTable, row } from '@tidings/projections'
import type { TagRow } from '@tidings/read-models'

const tags = defineTable<TagRow<string>>({
  name: 'tags',
  columns: { workspace_id: 'uuid', id: 'uuid', name: 'text', color: 'text?', created_at: 'timestamptz', updated_at: 'timestamptz' },
  key: ['workspace_id', 'id'],
  cachedRows: 200,
})

/** The tags of each workspace: at most 200, so that they need no index but their key. */
export const tagsProjection = defineProjection<TagsEvent>({
  name: 'tags',
  version: 1,
  tables: [tags],
  reads: ({ type, data, meta: { workspaceId } }) => (type === 'TagCreated' ? [] : [row(tags, workspaceId, data.tagId)]),
  on: {
    TagCreated: ({ data: { tagId, name, color }, meta: { workspaceId, at } }, rows) =>
      rows.create(tags, { workspace_id: workspaceId, id: tagId, name, color, created_at: at, updated_at: at }),

    TagColorChanged: ({ data: { tagId, color }, meta: { workspaceId, at } }, rows) => {
      const known = rows.get(tags, workspaceId, tagId)
      if (known !== undefined) rows.put(tags, { ...known, color, updated_at: at })
    },
  },
})
