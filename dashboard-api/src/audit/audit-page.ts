import type { AuditEntry } from '@tidings/contracts'
import { type AuditRow, forWorkspace, timelinePlace, type WorkspaceId } from '@tidings/read-models'
import type { DashboardDependencies } from '../dependencies.ts'

type Sources = Pick<DashboardDependencies, 'db' | 'pool'>
export type Noted = Omit<AuditEntry, 'by'>

/** `from` and `to`: moments, the second exclusive. `actors`: of one person; null for everybody. */
export type WantedAudit = Readonly<{
  workspaceId: WorkspaceId
  actors: readonly string[] | null
  exportsOnly: boolean
  period: Readonly<{ from: number; to: number }> | null
  after: string | null
  limit: number
}>

const NIL = '00000000-0000-0000-0000-000000000000'

/** The first place of a moment. */
const placeAt = (moment: number): string => timelinePlace({ at: new Date(moment).toISOString(), thingId: NIL, revision: 0 })

/** Changes, and what was noted without an event, newest first: `limit` of it, and one more where there is more. */
export async function auditPage(sources: Sources, wanted: WantedAudit): Promise<readonly Noted[]> {
  const { period, after, limit, exportsOnly } = wanted
  const end = period && placeAt(period.to)
  const bounds = { from: period && placeAt(period.from), before: after === null || (end !== null && end < after) ? end : after }
  const all = await Promise.all([exportsOnly ? [] : changes(sources, wanted, bounds), notes(sources, wanted, bounds)])
  return all
    .flat()
    .toSorted((one, other) => (one.id < other.id ? 1 : -1))
    .slice(0, limit + 1)
}

/** Places: `from` is inclusive, `before` is not. */
type Bounds = Readonly<{ from: string | null; before: string | null }>

async function changes({ db }: Sources, { workspaceId, actors, limit }: WantedAudit, { from, before }: Bounds): Promise<readonly Noted[]> {
  let rows = forWorkspace(db, workspaceId).audit().selectAll()
  if (actors !== null) rows = rows.where('actor', 'in', actors)
  if (from !== null) rows = rows.where('place', '>=', from)
  if (before !== null) rows = rows.where('place', '<', before)
  const found = await rows
    .orderBy('place', 'desc')
    .limit(limit + 1)
    .execute()
  return found.map(({ type, ...row }) => ({ ...noted(row), what: type }))
}

type NoteRow = Omit<AuditRow, 'type'> & Readonly<{ what: string }>

const notesQuery = (condition: string): string => `
  select workspace_id, place, at, actor, what, thing, request_id from ops.noted_act
  where workspace_id = $1 and at >= now() - interval '90 days'
    ${condition} and ($2::text[] is null or actor = any ($2)) and ($3::text is null or place >= $3) and ($4::text is null or place < $4)
  order by place desc limit $5`

const NOTES = notesQuery('')
const EXPORTS = notesQuery("and what in ('export', 'proof')")

async function notes(
  { pool }: Sources,
  { workspaceId, actors, exportsOnly, limit }: WantedAudit,
  { from, before }: Bounds,
): Promise<readonly Noted[]> {
  const { rows } = await pool.query<NoteRow>(exportsOnly ? EXPORTS : NOTES, [workspaceId, actors, from, before, limit + 1])
  return rows.map(({ what, ...row }) => ({ ...noted(row), what }))
}

const noted = ({ place, at, actor, thing, request_id }: Omit<AuditRow, 'type'>) => ({
  ...{ id: place, at: at.toISOString(), actor, thing, requestId: request_id },
})
