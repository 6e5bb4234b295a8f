import type { Pool } from 'pg'
import { groupLeases } from './checkpoint.ts'
import { topicLeases } from './kafka/relay/relay-lease.ts'

/** Ends every lease of a group and of a topic. Only for a process that knows that their owners are dead; answers how many. */
export async function releaseGroups(pool: Pool): Promise<number> {
  return (await groupLeases.releaseAll(pool)) + (await topicLeases.releaseAll(pool))
}
