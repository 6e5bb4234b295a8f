import type {
  ContactAddedToList,
  ContactCreated,
  ContactErasureRequested,
  ContactRemovedFromList,
  ListCreated,
  ListId,
  WorkspaceId,
} from '@tidings/domain'
import { defineProjection, type Rows, row } from '@tidings/projections'
import { contactBirths, listMembers, lists, listTotals } from './lists.tables.ts'

type Events = ContactCreated | ContactErasureRequested | ListCreated | ContactAddedToList | ContactRemovedFromList
type EventOfList = Readonly<{ data: Readonly<{ listId: ListId }>; meta: Readonly<{ workspaceId: WorkspaceId }> }>

/** Lists, who is on them, and how many. The deciders write an addition or removal only where it changes something: each counts. */
export const listsProjection = defineProjection<Events>({
  name: 'lists',
  version: 2,
  tables: [lists, listMembers, listTotals, contactBirths],
  personal: [],
  reads: ({ type, data, meta: { workspaceId } }) => {
    if (type === 'ContactCreated' || type === 'ContactErasureRequested' || type === 'ListCreated') return []
    const total = row(listTotals, workspaceId, data.listId)
    return type === 'ContactAddedToList' ? [total, row(contactBirths, workspaceId, data.contactId)] : [total]
  },
  on: {
    ListCreated: ({ data: { listId, name, listType }, meta: { workspaceId, at } }, rows) =>
      rows.create(lists, { workspace_id: workspaceId, id: listId, name, type: listType, created_at: at, updated_at: at }),

    ContactCreated: ({ data: { contactId }, meta: { workspaceId, at } }, rows) =>
      rows.create(contactBirths, { workspace_id: workspaceId, contact_id: contactId, created_at: at }),

    // Events of the lists take it off its lists.
    ContactErasureRequested: ({ data: { contactId }, meta: { workspaceId } }, rows) => rows.delete(contactBirths, workspaceId, contactId),

    ContactAddedToList: (event, rows) => {
      const { listId, contactId } = event.data
      const { workspaceId, at } = event.meta
      rows.create(listMembers, {
        workspace_id: workspaceId,
        list_id: listId,
        contact_id: contactId,
        added_at: at,
        // A contact without a creation has its stream parked here, and its profile is not older than what is known of it.
        contact_created_at: rows.get(contactBirths, workspaceId, contactId)?.created_at ?? at,
      })
      count(event, rows, 1n)
    },

    ContactRemovedFromList: (event, rows) => {
      rows.delete(listMembers, event.meta.workspaceId, event.data.listId, event.data.contactId)
      count(event, rows, -1n)
    },
  },
})

const count = ({ data: { listId }, meta: { workspaceId } }: EventOfList, rows: Rows, by: bigint): void => {
  const total = (rows.get(listTotals, workspaceId, listId)?.total ?? 0n) + by
  rows.put(listTotals, { workspace_id: workspaceId, list_id: listId, total })
}
