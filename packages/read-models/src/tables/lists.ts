import type { ListType } from '@tidings/domain'

export type ListRow<Time = Date> = {
  workspace_id: string
  id: string
  name: string
  type: ListType
  created_at: Time
  updated_at: Time
}

/** `contact_created_at`: what a list shows its members in the order of. */
export type ListMemberRow<Time = Date> = {
  workspace_id: string
  list_id: string
  contact_id: string
  added_at: Time
  contact_created_at: Time
}

/** The creation time of a contact, for the lists that it will be on. */
export type ContactBirthRow<Time = Date> = { workspace_id: string; contact_id: string; created_at: Time }

/** How many members a list has, exactly; no row while it never had any. */
export type ListTotalRow = { workspace_id: string; list_id: string; total: bigint }
