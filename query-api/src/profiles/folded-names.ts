import { sql } from 'kysely'

/** Names without regard to case. Written as the indices of the profiles table write them, so that a sort can use those. */
export const folded = {
  firstName: sql<string>`lower(first_name collate "default")`,
  lastName: sql<string>`lower(last_name collate "default")`,
} as const
