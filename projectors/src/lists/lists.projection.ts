import type { ContactAddedToList, ContactRemovedFromList, ListCreated } from '@tidings/domain'
import { defineProjection, type Rows, row } from '@tidings/projections'
import { listMembers, lists, listTotals } from './lists.tables.ts'

type Of = Readonly<{ data: Readonly<{ listId: string }>; meta: Readonly<{ workspaceId: string }> }>

/** Lists, who is on them, and how many. The deciders write an addition or removal only where it changes something: each counts. */
export const listsProjection = defineProjection<ListCreated | ContactAddedToList | ContactRemovedFromList>({
  name: 'lists',
  version: 1,
  tables: [lists, listMembers, listTotals],
  reads: ({ type, data, meta: { workspaceId } }) => (type === 'ListCreated' ? [] : [row(listTotals, workspaceId, data.listId)]),
  on: {
    ListCreated: ({ data: { listId, name, listType }, meta: { workspaceId, at } }, rows) =>
      rows.create(lists, { workspace_id: workspaceId, id: listId, name, type: listType, created_at: at, updated_at: at }),

    ContactAddedToList: (event, rows) => {
      const { listId, contactId } = event.data
      rows.create(listMembers, { workspace_id: event.meta.workspaceId, list_id: listId, contact_id: contactId, added_at: event.meta.at })
      count(event, rows, 1n)
    },

    ContactRemovedFromList: (event, rows) => {
      rows.delete(listMembers, event.meta.workspaceId, event.data.listId, event.data.contactId)
      count(event, rows, -1n)
    },
  },
})

const count = ({ data: { listId }, meta: { workspaceId } }: Of, rows: Rows, by: bigint): void => {
  const total = (rows.get(listTotals, workspaceId, listId)?.total ?? 0n) + by
  rows.put(listTotals, { workspace_id: workspaceId, list_id: listId, total })
}
