import type { Recorded, StreamReader } from '@tidings/codec'
import { factsOf } from '@tidings/directory'
import {
  bucketOf,
  type ContactEvent,
  type ContactId,
  type ContactState,
  changedFacts,
  changeReason,
  contact,
  contactStream,
  type EventFacts,
  type FactChange,
  IMPORT,
  type MembersEvent,
  type MembershipReason,
  membersStream,
  NEWS_MS,
  type RuleFacts,
  STORE_HISTORY,
  type WorkspaceId,
} from '@tidings/domain'
import { comparePositions, type Position } from '@tidings/event-store'
import type { RecentActivity } from '@tidings/read-models'
import type { ListRule, RuleSince } from './rule-table.ts'

/** A membership that is to change. `facts` and `recent`: as the read models show them; `reason`: of the review. */
export type ChangingMembership = Readonly<{
  workspaceId: WorkspaceId
  contactId: ContactId
  reason: MembershipReason
  rule: ListRule
  facts: RuleFacts
  recent: ReadonlyMap<string, readonly RecentActivity[]>
  isMember: boolean
  now: number
}>

type Log = StreamReader
/** One event that changes what rules ask of the contact. */
type Step = Readonly<{ position: Position; at: number; by: FactChange['by'] }>

/** The oldest of more are left out: what came last decides. */
const MAX_CHANGES = 200
/** A bucket of a list has some tens of members. */
const MEMBERSHIPS = 500

/**
 * The reason for which the contact comes onto the list, or leaves it: by what its facts last came to the rule's answer, since the rule was made and, of one who comes,
 * since the contact was last added. Where it had the answer when the rule was made, it is the same of the rule before, which had not been computed for the
 * contact. The log alone says it, so two processes, a run and a review, early or late, give the same reason (M55).
 */
export async function reasonOf(log: Readonly<{ log: Log }>, changing: ChangingMembership): Promise<MembershipReason> {
  const { workspaceId, contactId, rule, isMember } = changing
  const events = await log.log.readStream<ContactEvent>(workspaceId, contactStream(workspaceId, contactId))
  // A version that a process of an older build wrote.
  if (rule.since === null) return ownReason(changing, events)
  const reason = reasonSince(rule.since, changing, events)
  if (!isMember) return reason
  // Few of the contacts that a rule brings came by an earlier one: the list need not be read for the others.
  if (reason === 'rule' && reasonBefore(changing, events, null) === 'rule') return reason
  const added = await lastAdded(log.log, changing)
  if (reason === 'rule') return reasonBefore(changing, events, added)
  return added === null || comparePositions(added.position, rule.since.position) <= 0 ? reason : reasonSince(added, changing, events)
}

/** The last position at which the list had the contact. */
const lastAdded = async (log: Log, { workspaceId, contactId, rule }: ChangingMembership): Promise<RuleSince | null> => {
  const stream = membersStream(workspaceId, rule.listId, bucketOf(contactId))
  const events = await log.readStream<MembersEvent>(workspaceId, stream, { direction: 'backwards', limit: MEMBERSHIPS })
  const added = events.find(({ type, data }) => type === 'ContactAddedToList' && data.contactId === contactId)
  return added === undefined ? null : { position: added.position, at: Date.parse(added.meta.at) }
}

const reasonSince = (since: RuleSince, changing: ChangingMembership, events: readonly Recorded<ContactEvent>[]): MembershipReason => {
  if (!isKnownSince(since, changing)) return ownReason(changing, events)
  return reasonWithin({ since, until: null }, changing, events).reason
}

/** `until`: the change of the rule that ends it; null for now. */
type Span = Readonly<{ since: RuleSince; until: RuleSince | null }>

const reasonWithin = (
  { since, until }: Span,
  changing: ChangingMembership,
  events: readonly Recorded<ContactEvent>[],
): Readonly<{ reason: MembershipReason; isMatch: boolean }> => {
  const { rule, isMember } = changing
  const steps = stepsOf(changing, events)
  const all = until === null ? steps : steps.filter(({ position }) => isUpTo(position, until.position))
  const first = Math.max(all.length - MAX_CHANGES, 0)
  const after = all.findIndex(({ position }) => comparePositions(position, since.position) > 0)
  const from = Math.max(first, after === -1 ? all.length : after)
  const last = all[from - 1]
  const history = createHistory(changing, events)
  const before = { at: Math.max(since.at, last?.at ?? since.at), facts: history(last?.position ?? null) }
  const changes = all.slice(from).map(({ at, by, position }) => ({ at, by, facts: history(position) }))
  const now = until?.at ?? changing.now
  const facts = changes.at(-1)?.facts ?? before.facts
  const isMatch = facts !== null && rule.compiled.matches(facts, now)
  return { reason: changeReason(rule.compiled, { before, changes, now, isMatch: isMember }), isMatch }
}

/** The reason for which the contact would have come by the rules before, each as long as it was in force; `rule` where one of them did not have it at its end. */
const reasonBefore = (
  changing: ChangingMembership,
  events: readonly Recorded<ContactEvent>[],
  added: RuleSince | null,
): MembershipReason => {
  const known = new Set(changing.rule.compiled.events)
  let until = changing.rule.since
  for (const { compiled, since: made } of changing.rule.earlier) {
    // One that came back holds since it was made first.
    if (until === null || comparePositions(made.position, until.position) >= 0) continue
    const since = added !== null && comparePositions(added.position, made.position) > 0 ? added : made
    const before = { ...changing, rule: { ...changing.rule, compiled } }
    const isSeen = compiled.events.every((name) => known.has(name)) && isKnownSince(since, before)
    if (!isSeen || comparePositions(since.position, until.position) >= 0) return 'rule'
    const { reason, isMatch } = reasonWithin({ since, until }, before, events)
    if (!isMatch || reason !== 'rule') return isMatch ? reason : 'rule'
    until = made
  }
  return 'rule'
}

/** Whether the recent activities reach back so far: of more than these, only the number is known. */
const isKnownSince = (since: RuleSince, { rule, facts, recent }: ChangingMembership): boolean =>
  rule.compiled.events.every((name) => {
    const known = recent.get(name) ?? []
    const [oldest] = known
    return (facts.events.get(name)?.count ?? 0) <= known.length || (oldest !== undefined && isUpTo(oldest.position, since.position))
  })

/** The reason is that of the review, which follows the last event: where that is no news, it is no join either. */
const ownReason = ({ rule, recent, reason }: ChangingMembership, events: readonly Recorded<ContactEvent>[]): MembershipReason => {
  const changed = events.findLast((event) => changedFacts(event).length > 0)
  if (reason === 'contact') return changed !== undefined && isOfHistory(changed) ? 'rule' : reason
  const known = rule.compiled.events.flatMap((name) => recent.get(name) ?? [])
  const last = known.toSorted((a, b) => comparePositions(a.position, b.position)).at(-1)
  return reason === 'event' && last !== undefined && !isOfToday(last) ? 'rule' : reason
}

/** The events in the order of the log. */
const stepsOf = ({ rule, recent }: ChangingMembership, events: readonly Recorded<ContactEvent>[]): readonly Step[] => {
  const ofContact = events
    .filter((event) => changedFacts(event).length > 0)
    .map((event): Step => ({ position: event.position, at: Date.parse(event.meta.at), by: isOfHistory(event) ? 'rule' : 'contact' }))
  const ofEvents = rule.compiled.events.flatMap((name) =>
    (recent.get(name) ?? []).map((one): Step => ({ position: one.position, at: one.at, by: isOfToday(one) ? 'event' : 'rule' })),
  )
  return [...ofContact, ...ofEvents].toSorted((a, b) => comparePositions(a.position, b.position))
}

/** A report that comes a day late changes the list, and is no join (M54). */
const isOfToday = ({ at, occurredAt }: RecentActivity): boolean => at - occurredAt <= NEWS_MS

/** A contact that such a report creates is not news either, nor is what a file of people brings (M67). */
const isOfHistory = (event: Recorded<ContactEvent>): boolean =>
  event.meta.actor === IMPORT || (event.type === 'ContactCreated' && event.data.source === STORE_HISTORY)

/** The facts as of a place of the log, which may only go on; null: before everything. */
const createHistory = (changing: ChangingMembership, events: readonly Recorded<ContactEvent>[]) => {
  let state: ContactState = contact.initialState
  let read = 0
  return (position: Position | null): RuleFacts | null => {
    for (let next = events[read]; next !== undefined && isUpTo(next.position, position); next = events[read]) {
      state = contact.evolve(state, next)
      read++
    }
    return state.exists ? factsOf({ state, events: events.slice(0, read) }, countedUpTo(position, changing)) : null
  }
}

const isUpTo = (one: Position, limit: Position | null): boolean => limit !== null && comparePositions(one, limit) <= 0

/** The counts without later activities. An activity older than the recent ones is known only to have happened, and to be no later. */
const countedUpTo = (position: Position | null, { rule, facts, recent }: ChangingMembership): ReadonlyMap<string, EventFacts> =>
  new Map(
    rule.compiled.events.flatMap((name): readonly (readonly [string, EventFacts])[] => {
      const counted = facts.events.get(name)
      const known = recent.get(name) ?? []
      const before = known.filter((one) => isUpTo(one.position, position))
      const count = (counted?.count ?? 0) - (known.length - before.length)
      if (counted === undefined || count <= 0) return []
      const lastAt = known.length === before.length ? counted.lastAt : Math.max(...before.map(({ occurredAt }) => occurredAt))
      return [[name, { count, lastAt: Number.isFinite(lastAt) ? lastAt : Math.min(...known.map(({ occurredAt }) => occurredAt)) }]]
    }),
  )
