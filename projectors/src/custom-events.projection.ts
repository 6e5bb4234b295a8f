import type { CustomEventEvent } from '@tidings/domain'
import { defineProjection, defineTable, row } from '@tidings/projections'
import type { CustomEventRow } from '@tidings/read-models'

const customEvents = defineTable<CustomEventRow<string>>({
  name: 'custom_events',
  columns: {
    workspace_id: 'uuid',
    id: 'uuid',
    name: 'text',
    label: 'text',
    properties: 'text[]',
    retired: 'boolean',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
  },
  key: ['workspace_id', 'id'],
  cachedRows: 200,
})

/** The events of each workspace itself, retired ones included. */
export const customEventsProjection = defineProjection<CustomEventEvent>({
  name: 'custom_events',
  version: 1,
  tables: [customEvents],
  personal: [],
  reads: ({ data, meta: { workspaceId } }) => [row(customEvents, workspaceId, data.eventId)],
  on: {
    CustomEventDeclared: ({ data: { eventId, ...described }, meta: { workspaceId, at } }, rows) =>
      rows.put(customEvents, {
        workspace_id: workspaceId,
        id: eventId,
        ...described,
        created_at: rows.get(customEvents, workspaceId, eventId)?.created_at ?? at,
        updated_at: at,
      }),
  },
})
