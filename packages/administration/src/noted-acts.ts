import { isoNow } from '@tidings/async/clock'
import { INSTALLATION } from '@tidings/domain'
import type { ActNote } from '@tidings/http'
import { timelinePlace } from '@tidings/read-models'
import type { FastifyRequest } from 'fastify'
import type { Pool } from 'pg'
import { appendContext } from './append-context.ts'

const KEPT_MS = 90 * 86_400_000

/** Each note removes more than it adds, and waits for none that removes the same. A place begins with its moment: what is kept is not looked at. */
const NOTE = `
  with ended as (
    select place from ops.noted_act where workspace_id = $1 and place < $8 order by place limit 10 for update skip locked
  ), gone as (
    delete from ops.noted_act where workspace_id = $1 and place in (select place from ended)
  )
  insert into ops.noted_act (workspace_id, place, at, actor, what, thing, request_id) values ($1, $2, $3, $4, $5, $6, $7)`

/** Notes who does what leaves no event (M86), or what operators do (M121), before it is done; the result takes the note back. */
export function actNotes(pool: Pool, now: () => string = isoNow) {
  return async (request: FastifyRequest, note: ActNote): Promise<() => Promise<unknown>> => {
    const { actor, requestId, at, ...of } = appendContext(request, now())
    const workspaceId = note.at === 'installation' ? INSTALLATION : of.workspaceId
    const place = timelinePlace({ at, thingId: crypto.randomUUID(), revision: 0 })
    const ended = timelinePlace({ at: new Date(Date.parse(at) - KEPT_MS).toISOString(), thingId: '', revision: 0 })
    await pool.query(NOTE, [workspaceId, place, at, actor, note.act, note.thing, requestId, ended])
    return () => pool.query('delete from ops.noted_act where workspace_id = $1 and place = $2', [workspaceId, place])
  }
}

/** Deletes some of the notes whose time is over, in any workspace: one that stands still removes none itself. */
export async function forgetActs(pool: Pool, batch: number): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from ops.noted_act where ctid = any (array(
       select ctid from ops.noted_act where at < now() - $2 * interval '1 millisecond' limit $1 for update skip locked))`,
    [batch, KEPT_MS],
  )
  return rowCount ?? 0
}
