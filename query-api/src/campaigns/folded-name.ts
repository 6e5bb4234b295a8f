import { sql } from 'kysely'

/** The name without regard to case. */
export const foldedName = sql<string>`lower(name collate "default")`
