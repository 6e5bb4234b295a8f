import type { WorkspaceId } from '@tidings/domain'
import { pageOfDeadLetters } from '@tidings/jobs'
import type { Pool } from 'pg'
import { cursorOf, placeOf } from '../place-cursor.ts'

type AskedLetters = Readonly<{ consumer?: string; after?: string; limit?: number }>

/** The page of dead letters that a query asks for: of a workspace, of none (the installation's), or, with null, of all. */
export async function pageOfLetters(pool: Pool, workspaceId: WorkspaceId | null, { consumer, after, limit = 50 }: AskedLetters) {
  const wanted = { workspaceId, consumer: consumer ?? null, after: after === undefined ? null : placeOf(after), limit: limit + 1 }
  const found = await pageOfDeadLetters(pool, wanted)
  const letters = found.slice(0, limit)
  const last = found.length > limit ? letters.at(-1) : undefined
  const next_cursor = last === undefined ? null : cursorOf(last.place)
  return { letters, limit, total: null, has_more: last !== undefined, next_cursor }
}
