import type { ProfileRow } from '@tidings/read-models'
import { type RawBuilder, sql } from 'kysely'
import { type SortOrder, sortOrder } from '../sort-order.ts'

/** Names without regard to case. Written as the indices of the profiles table write them, so that a sort can use those. */
export const folded = {
  firstName: sql<string>`lower(first_name collate "default")`,
  lastName: sql<string>`lower(last_name collate "default")`,
} as const

type Column = keyof ProfileRow | RawBuilder<string>

/** Names sort as people read them, whatever their case; the indices are built on the same expressions. */
export type ProfileOrder = SortOrder<Column>

/** The order that a `sort` of the profile list asks for; newest first by default (G9). */
export const profileOrder: (sort: string | undefined) => ProfileOrder = sortOrder<Column>(
  {
    createdAt: { column: 'created_at', bare: 'desc' },
    updatedAt: { column: 'updated_at', bare: 'desc' },
    email: { column: 'email', bare: 'asc' },
    firstName: { column: folded.firstName, bare: 'asc' },
    lastName: { column: folded.lastName, bare: 'asc' },
  },
  { column: 'created_at', direction: 'desc' },
)
