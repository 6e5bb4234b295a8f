import type { StreamReader } from '@tidings/codec'
import { type ContactEvent, type ContactId, contactStream, type WorkspaceId } from '@tidings/domain'
import { positionText } from '@tidings/event-store'
import { actorName } from '@tidings/evidence'
import { streamEvents } from '@tidings/log-views'
import type { Pool } from 'pg'

type InLog = Readonly<{ at: string; position: string }>

/**
 * The erasure of a person, by ids and counts alone. `requested.by`: an actor as the log calls it. `erased`: from when on the key is destroyed. `cleared`: how many
 * rows went in each place; `stays`: what counts on, without a name. `waitsFor`: the read models that hold it up.
 */
type Erasure = Readonly<{
  contactId: ContactId
  requested: InLog & Readonly<{ by: string; actor: string }>
  erased: InLog | null
  finishedAt: string | null
  cleared: readonly Readonly<{ place: string; cleared: number }>[]
  stays: Readonly<{ consents: number; messages: number }>
  waitsFor: readonly string[]
}>

type ErasureRef = Readonly<{ workspaceId: WorkspaceId; contactId: ContactId }>

/** From the log and the work that was done for it; null where none was asked for. */
export async function readErasure({ log, pool }: Readonly<{ log: StreamReader; pool: Pool }>, of: ErasureRef): Promise<Erasure | null> {
  const stream = contactStream(of.workspaceId, of.contactId)
  let requested: Erasure['requested'] | null = null
  let erased: InLog | null = null
  let consents = 0
  for await (const { type, meta, position } of streamEvents<ContactEvent>(log, { workspaceId: of.workspaceId, stream })) {
    const at = { at: meta.at, position: positionText(position) }
    if (type === 'ContactConsentRecorded') consents++
    if (type === 'ContactErasureRequested') requested ??= { ...at, by: actorName(meta.actor), actor: meta.actor }
    if (type === 'ContactErased') erased ??= at
  }
  if (requested === null) return null
  const work = await workOf(pool, of, stream)
  const { messages = 0, finished_at: finishedAt = null, waits_for: waitsFor = [] } = work ?? {}
  const cleared = Object.entries(work?.cleared ?? {}).map(([place, count]) => ({ place, cleared: count }))
  return {
    contactId: of.contactId,
    ...{ requested, erased, finishedAt: finishedAt?.toISOString() ?? null },
    ...{ cleared, stays: { consents, messages }, waitsFor: finishedAt === null ? waitsFor : [] },
  }
}

type Work = Readonly<{ messages: number; finished_at: Date | null; cleared: Readonly<Record<string, number>> | null; waits_for: string[] }>

const workOf = async (pool: Pool, { workspaceId, contactId }: ErasureRef, stream: string): Promise<Work | undefined> => {
  const { rows } = await pool.query<Work>(
    `select (select count(*)::int from read.messages where workspace_id = $1 and contact_id = $2) as messages, e.finished_at, e.cleared,
       array(select projection from ops.parked_stream where stream = $3 order by projection) as waits_for
     from (values (1)) one left join ops.erasure e on e.workspace_id = $1 and e.contact_id = $2`,
    [workspaceId, contactId, stream],
  )
  return rows[0]
}

/** `place`: where it stands among those of the workspace. */
type ListedErasure = Readonly<{ contactId: ContactId; askedAt: string; finishedAt: string | null; place: string }>

type ErasurePage = Readonly<{ workspaceId: WorkspaceId; after: string | null; limit: number }>

/** The erasures of a workspace, the newest first, behind a place. */
export async function listErasures(pool: Pool, { workspaceId, after, limit }: ErasurePage): Promise<readonly ListedErasure[]> {
  const [at = null, id = null] = after?.split(' ') ?? []
  const { rows } = await pool.query<Readonly<{ contact_id: ContactId; admitted_at: Date; finished_at: Date | null; micros: string }>>(
    `select contact_id, admitted_at, finished_at, (extract(epoch from admitted_at) * 1000000)::bigint::text as micros from ops.erasure
     where workspace_id = $1 and ($2::bigint is null or ((extract(epoch from admitted_at) * 1000000)::bigint, contact_id) < ($2::bigint, $3::uuid))
     order by admitted_at desc, contact_id desc limit $4`,
    [workspaceId, at, id, limit],
  )
  return rows.map((row) => ({
    contactId: row.contact_id,
    askedAt: row.admitted_at.toISOString(),
    finishedAt: row.finished_at?.toISOString() ?? null,
    place: `${row.micros} ${row.contact_id}`,
  }))
}
