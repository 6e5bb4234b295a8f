import { type ContactId, type DetailKind, NIL_ID } from '@tidings/domain'
import { type Generation, plainName } from '@tidings/projections'
import type { Ending } from './end-details.ts'
import { markCleared, swapsOf, type Uncleared, unclearedEnds } from './ended-details-table.ts'

/**
 * The read model that shows client details, a projection of one table of its name. Its rows are made at the time of their event, whose week it is.
 * No projection keeps what it read of these rows in memory, and goes on to write it.
 */
const PROJECTIONS: Readonly<Record<DetailKind, readonly string[]>> = { client: ['consent_history'], content: [] }

/** The tables in the order in which a swap moves them: one that is swapped meanwhile was cleared, or still will be. */
const GENERATIONS: readonly Generation[] = ['next', 'live', 'previous']

const PAGE = 2_000

/** A page of a workspace's lines in the order of the primary key: no index knows their times, and a week ends once. */
const clearPage = (table: string): string => `
with page as materialized (
  select contact_id, revision, at, ip, user_agent from read.${table}
  where workspace_id = $1 and (contact_id, revision) > ($2, $3) order by contact_id, revision limit ${PAGE}),
cleared as (
  update read.${table} t set ip = null, user_agent = null from page p
  where t.workspace_id = $1 and t.contact_id = p.contact_id and t.revision = p.revision
    and p.at < $4::date::timestamp at time zone 'utc' and (p.ip is not null or p.user_agent is not null)
  returning 1)
select contact_id as "contactId", revision, (select count(*)::int from cleared) as cleared from page
order by page.contact_id desc, page.revision desc limit 1`

type LastCleared = Readonly<{ contactId: ContactId; revision: number; cleared: number }>

const exists = async (pool: Ending['pool'], table: string): Promise<boolean> =>
  (await pool.query<{ there: boolean }>('select to_regclass($1) is not null as there', [`read.${table}`])).rows[0]?.there === true

async function* clearTable(pool: Ending['pool'], table: string, { workspaceId, until }: Uncleared): AsyncGenerator<number> {
  if (!(await exists(pool, table))) return
  let from = { contactId: NIL_ID, revision: -1 }
  for (;;) {
    const { rows } = await pool.query<LastCleared>(clearPage(table), [workspaceId, from.contactId, from.revision, until])
    const last = rows[0]
    if (last === undefined) return
    yield last.cleared
    from = last
  }
}

/**
 * Clears what the read models hold of details that have ended, page by page; each step is the number of rows that a page lost. Rows that were read before
 * the end may be written after it: so it is done again until the end is `afterSeconds` old, by which no process has a key or a batch from before,
 * and until no swap came between. A swap back moves tables against the order in which they are gone through.
 */
export async function* clearEnded(pool: Ending['pool'], afterSeconds: number): AsyncGenerator<number> {
  for (const end of await unclearedEnds(pool)) {
    const projections = PROJECTIONS[end.kind]
    const swaps = await swapsOf(pool, projections)
    for (const name of projections) for (const generation of GENERATIONS) yield* clearTable(pool, plainName({ name }, generation), end)
    await markCleared(pool, { end, afterSeconds, projections, swaps })
  }
}
