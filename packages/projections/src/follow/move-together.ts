import { sharedStatement } from '@tidings/async'
import type { AnyProjection } from '../projection.ts'
import { CHANNEL, type Move } from '../sql/commit-batch.ts'
import type { Queryable } from '../sql/load-rows.ts'
import { noticeSql } from '../sql/notice.ts'

type Moving = Readonly<{ projection: AnyProjection; move: Move }>
type Moved = Readonly<{ projection: string; epoch: bigint }>

/** Rows that a transaction has locked are left as they are, so that one projection never waits for another. */
const SQL = `with asked as (
    select * from unnest($1::text[], $2::int[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
      a(projection, version, epoch, from_commit, from_prepare, to_commit, to_prepare)),
  free as (
    select c.projection, a.to_commit, a.to_prepare from ops.projection_checkpoint c join asked a using (projection, version, epoch)
    where c.position_commit = a.from_commit and c.position_prepare = a.from_prepare order by 1 for update of c skip locked),
  moved as (
    update ops.projection_checkpoint c set position_commit = f.to_commit, position_prepare = f.to_prepare, updated_at = now()
    from free f where c.projection = f.projection returning c.projection, c.epoch, f.to_commit, f.to_prepare)
  select projection, epoch, set_config('synchronous_commit', 'off', true), pg_notify('${CHANNEL}', ${noticeSql('moved.projection', 'to_commit', 'to_prepare')})
  from moved`

const moveAll = sharedStatement({
  ask: async (db: Queryable, asked: readonly Moving[]) => {
    const { rows } = await db.query<Moved>({
      name: 'move projections',
      text: SQL,
      values: [
        asked.map(({ projection }) => projection.name),
        asked.map(({ projection }) => projection.version),
        asked.map(({ move }) => move.epoch),
        asked.map(({ move }) => move.from.commit),
        asked.map(({ move }) => move.from.prepare),
        asked.map(({ move }) => move.to.commit),
        asked.map(({ move }) => move.to.prepare),
      ],
    })
    return rows
  },
  pick: (moved, { projection, move }) => moved.some((row) => row.projection === projection.name && row.epoch === move.epoch),
})

/**
 * Moves a checkpoint past events that do not concern the projection, with all others of the process that move in this turn of the event loop. False
 * where another owner has it, a transaction has locked it, or the statement is late: then it is to be moved alone.
 */
export function moveTogether(db: Queryable, moving: Moving): Promise<boolean> {
  return moveAll(db)(moving)
}
