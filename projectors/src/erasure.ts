import type { ContactErased, ContactErasureRequested, WorkspaceId } from '@tidings/domain'
import { type RowRange, rowsWhere, type Table } from '@tidings/projections'

/**
 * Both forget the rows of the contact: what was under way when the erasure was asked for may write some between the two. The key is destroyed
 * before the second, so that nothing after it shows anything of the person, live or in a rebuild.
 */
export type Erasure = ContactErasureRequested | ContactErased

type EventOfWorkspace = Readonly<{ meta: Readonly<{ workspaceId: WorkspaceId }> }>

/** Whether the event is one of the two. */
export function isErasure<E extends Readonly<{ type: string }>>(event: E): event is Extract<E, Erasure> {
  return event.type === 'ContactErasureRequested' || event.type === 'ContactErased'
}

/** All that a table has of the contact. */
export function rowsOfContact<Row extends object>(table: Table<Row>, { data, meta }: Erasure & EventOfWorkspace): RowRange<Row> {
  return rowsWhere(table, { workspace_id: meta.workspaceId, contact_id: data.contactId })
}
