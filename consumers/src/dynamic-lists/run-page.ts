import { type ContactId, withoutFuture } from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import { admission, DYNAMIC_LISTS, type NewJob } from '@tidings/jobs'
import { kyselyOn, transaction } from '@tidings/postgres'
import { factsOfPage, type PagedContact, type ReadModels } from '@tidings/read-models'
import type { ClientBase, Pool } from 'pg'
import { type Due, putDue } from './due-table.ts'
import { afterHead, REVIEW_SEQ, reviewJob } from './review.ts'
import type { ListRule, RulesWanted } from './rule-table.ts'
import { lockGroup, movePast, type RunGroup } from './run-table.ts'

export type Paging = Readonly<{
  pool: Pool
  head: () => Promise<Position>
  rules: (wanted: RulesWanted) => Promise<readonly ListRule[]>
  now: () => number
  contacts?: number
}>

/** A page takes about 15 ms with one list; its rows are in memory once. */
const CONTACTS = 1_000

const admit = admission(DYNAMIC_LISTS)

/**
 * Compares one page of contacts with the rules of a group of runs, and admits a review of each that is not where they say: all in one
 * transaction, so that a crash repeats the page. False where there is no page.
 */
export async function runPage({ pool, head, rules, now, contacts = CONTACTS }: Paging): Promise<boolean> {
  return await transaction(pool, async (tx) => {
    const group = await lockGroup(tx)
    if (group === null) return false
    const { workspaceId, listIds, after, until } = group
    const known = await rules({ workspaceId, lists: listIds })
    const events = [...new Set(known.flatMap(({ compiled }) => compiled.events))]
    const page = await factsOfPage(kyselyOn<ReadModels>(pool), { workspaceId, after, until, limit: contacts, listIds, events })
    const compared = compare(page, known, now())
    await putDue(
      tx,
      compared.due.map((due) => ({ workspaceId, ...due })),
    )
    const isEnd = page.length < contacts
    const changes = new Map(
      [
        ...Map.groupBy(
          compared.wrong.flatMap(({ lists }) => lists),
          (listId) => listId,
        ),
      ].map(([id, all]) => [id, all.length]),
    )
    await movePast(tx, group, { after: isEnd ? until : (page.at(-1)?.contactId ?? null), contacts: page.length, changes })
    if (compared.wrong.length > 0) await admit(tx, await jobsOf(tx, group, { wrong: compared.wrong, head: await head() }))
    return true
  })
}

type Wrong = Readonly<{ contactId: ContactId; lists: readonly string[] }>
type Compared = Readonly<{ wrong: readonly Wrong[]; due: readonly Omit<Due, 'workspaceId'>[] }>

const compare = (page: readonly PagedContact[], rules: readonly ListRule[], now: number): Compared => {
  const timed = rules.filter(({ compiled }) => compiled.isTimed)
  const wrong: Wrong[] = []
  const due: Omit<Due, 'workspaceId'>[] = []
  for (const { contactId, facts: shown, memberOf } of page) {
    const facts = shown && withoutFuture(shown, now)
    const lists = rules
      .filter(({ listId, compiled }) => (facts !== null && compiled.matches(facts, now)) !== memberOf.has(listId))
      .map(({ listId }) => listId)
    if (lists.length > 0) wrong.push({ contactId, lists })
    const moments = facts === null ? [] : timed.flatMap(({ compiled }) => compiled.changesAt(facts, now) ?? [])
    if (moments.length > 0) due.push({ contactId, dueAt: Math.min(...moments) })
  }
  return { wrong, due }
}

const jobsOf = async (
  tx: ClientBase,
  { workspaceId }: RunGroup,
  { wrong, head }: Readonly<{ wrong: readonly Wrong[]; head: Position }>,
): Promise<readonly NewJob[]> => {
  const { rows } = await tx.query<{ seq: string }>(`select ${REVIEW_SEQ}::text as seq`)
  const seq = BigInt(rows[0]?.seq ?? 0)
  return wrong.map((one) => reviewJob(workspaceId, seq, { ...one, reason: 'rule', prepare: null, ...afterHead(head) }))
}
