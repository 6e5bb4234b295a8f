import { defineTable } from '@tidings/projections'
import type { ListMemberRow, ListRow, ListTotalRow } from '@tidings/read-models'

export const lists = defineTable<ListRow<string>>({
  name: 'lists',
  columns: { workspace_id: 'uuid', id: 'uuid', name: 'text', type: 'text', created_at: 'timestamptz', updated_at: 'timestamptz' },
  key: ['workspace_id', 'id'],
  indices: [{ name: 'updated', on: 'workspace_id, updated_at, id' }],
  cachedRows: 100,
})

/** Written and deleted without being read: its rows need no place in memory. */
export const listMembers = defineTable<ListMemberRow<string>>({
  name: 'list_members',
  columns: { workspace_id: 'uuid', list_id: 'uuid', contact_id: 'uuid', added_at: 'timestamptz' },
  key: ['workspace_id', 'list_id', 'contact_id'],
  cachedRows: 1,
})

/** Beside the list and not in its row: a list that changes its members stays where it is in the order of lists. */
export const listTotals = defineTable<ListTotalRow>({
  name: 'list_totals',
  columns: { workspace_id: 'uuid', list_id: 'uuid', total: 'bigint' },
  key: ['workspace_id', 'list_id'],
  fillfactor: 50,
})
