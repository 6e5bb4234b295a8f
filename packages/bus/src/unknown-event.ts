import { UnknownEventType } from '@tidings/codec'
import type { Position } from '@tidings/event-store'
import type { Pool } from 'pg'

/** An event of ours that a newer build wrote: this process must leave it, and all behind it, to a newer one. */
export type UnknownEvent = Readonly<{ name: string; position: Position }>

/** The event at which a reader or a handler must stop; null for every other error, and for events of other products. */
export function unknownIn(error: unknown): UnknownEvent | null {
  if (!(error instanceof UnknownEventType) || !error.ours || error.position === null) return null
  const { type, version, position } = error
  return { name: version === null ? type : `${type} version ${version}`, position }
}

/** The name of the event in progress and readiness. */
export function textOf({ name, position: { commit, prepare } }: UnknownEvent): string {
  return `${name} at ${commit}/${prepare}`
}

/** Whether a group is past a place, in every partition where it reads Kafka: then another process knew the event. */
export async function hasPassed(pool: Pool, group: string, { commit, prepare }: Position): Promise<boolean> {
  const { rows } = await pool.query<{ passed: boolean }>(
    `select (c.position_commit, c.position_prepare) >= ($2::bigint, $3::bigint)
         or (c.relay is not null and (
           select coalesce(bool_and((p.position_commit, p.position_prepare) >= ($2::bigint, $3::bigint)), false)
           from ops.consumer_partition p where p.consumer_group = $1)) as passed
     from ops.consumer_checkpoint c where c.consumer_group = $1`,
    [group, commit, prepare],
  )
  return rows[0]?.passed === true
}
