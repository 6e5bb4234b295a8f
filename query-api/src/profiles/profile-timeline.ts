import { membersTimeline, profilesByKey, profilesTimeline, type ReadModels, type Timeline, type WorkspaceId } from '@tidings/read-models'
import { type Kysely, sql } from 'kysely'
import { folded } from './folded-names.ts'
import type { ProfileFilter } from './profile-filter.ts'
import type { ProfileOrder } from './profile-order.ts'

type TimelineOwner = Readonly<{ db: Kysely<ReadModels>; workspaceId: WorkspaceId }>

const KEYS = [
  { name: 'email', column: 'email', key: sql<string | null>`email` },
  { name: 'first name', column: folded.firstName, key: folded.firstName },
  { name: 'last name', column: folded.lastName, key: folded.lastName },
] as const

/** The requested order as a timeline, in which a deep page is found from one seen before: not by `updatedAt`, which any event may change. */
export function profileTimeline(
  { db, workspaceId }: TimelineOwner,
  { listId, narrows }: ProfileFilter,
  { column }: ProfileOrder,
): Timeline | undefined {
  if (listId !== undefined) return column === 'created_at' ? membersTimeline(db, workspaceId, listId) : undefined
  if (narrows) return undefined
  if (column === 'created_at') return profilesTimeline(db, workspaceId)
  const known = KEYS.find((one) => one.column === column)
  return known === undefined ? undefined : profilesByKey(db, workspaceId, known)
}
