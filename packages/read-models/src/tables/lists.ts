import type { ContactId, ListId, ListType, WorkspaceId } from '@tidings/domain'

export type ListRow<Time = Date> = {
  workspace_id: WorkspaceId
  id: ListId
  name: string
  type: ListType
  created_at: Time
  updated_at: Time
}

/** `contact_created_at`: what a list shows its members in the order of. */
export type ListMemberRow<Time = Date> = {
  workspace_id: WorkspaceId
  list_id: ListId
  contact_id: ContactId
  added_at: Time
  contact_created_at: Time
}

/** The creation time of a contact, for the lists that it will be on. */
export type ContactBirthRow<Time = Date> = { workspace_id: WorkspaceId; contact_id: ContactId; created_at: Time }

/** How many members a list has, exactly; no row while it never had any. */
export type ListTotalRow = { workspace_id: WorkspaceId; list_id: ListId; total: bigint }
