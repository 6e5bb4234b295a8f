import { defineTable } from '@tidings/projections'
import type { ContactBirthRow, ListMemberRow, ListRow, ListTotalRow } from '@tidings/read-models'

export const lists = defineTable<ListRow<string>>({
  name: 'lists',
  columns: { workspace_id: 'uuid', id: 'uuid', name: 'text', type: 'text', created_at: 'timestamptz', updated_at: 'timestamptz' },
  key: ['workspace_id', 'id'],
  indices: [{ name: 'updated', on: 'workspace_id, updated_at, id' }],
  cachedRows: 100,
})

/**
 * Members in the order of their profiles: a page of a list is a range of the index. Without it Postgres walks the profiles from the newest
 * on and asks of each whether it is on the list: 7 s where the list held the oldest eighth of a million.
 * Written and deleted without being read: its rows need no place in memory.
 */
export const listMembers = defineTable<ListMemberRow<string>>({
  name: 'list_members',
  columns: {
    workspace_id: 'uuid',
    list_id: 'uuid',
    contact_id: 'uuid',
    added_at: 'timestamptz',
    contact_created_at: 'timestamptz',
  },
  key: ['workspace_id', 'list_id', 'contact_id'],
  indices: [{ name: 'created', on: 'workspace_id, list_id, contact_created_at, contact_id' }],
  cachedRows: 1,
})

export const contactBirths = defineTable<ContactBirthRow<string>>({
  name: 'contact_births',
  columns: { workspace_id: 'uuid', contact_id: 'uuid', created_at: 'timestamptz' },
  key: ['workspace_id', 'contact_id'],
})

/** This table is apart from the list's row, so that a list whose members change keeps its place in the order of lists. */
export const listTotals = defineTable<ListTotalRow>({
  name: 'list_totals',
  columns: { workspace_id: 'uuid', list_id: 'uuid', total: 'bigint' },
  key: ['workspace_id', 'list_id'],
  fillfactor: 50,
})
