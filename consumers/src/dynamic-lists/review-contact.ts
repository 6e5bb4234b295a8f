import { randomUUID } from 'node:crypto'
import type { StreamReader } from '@tidings/codec'
import type { CommandExecutor } from '@tidings/commands'
import {
  bucketOf,
  type ContactId,
  type ListId,
  type MembershipReason,
  members,
  membersStream,
  type WorkspaceId,
  withoutFuture,
} from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import type { Job, Lease, Verdict } from '@tidings/jobs'
import type { ContactFacts, FactsWanted } from '@tidings/read-models'
import type { Pool } from 'pg'
import { putDue } from './due-table.ts'
import { reasonOf } from './reason-of.ts'
import { causeOf, reviewOf } from './review.ts'
import type { ListRule, RulesWanted } from './rule-table.ts'

/** `now`: milliseconds since 1970, by which rules about time are judged. */
export type Reviewing = Readonly<{
  log: StreamReader
  pool: Pool
  commands: CommandExecutor
  gate: Readonly<{ require: (position: Position | null, projections: readonly string[]) => Promise<void> }>
  rules: (wanted: RulesWanted) => Promise<readonly ListRule[]>
  facts: (wanted: FactsWanted) => Promise<ContactFacts>
  now: () => number
}>

/** The facts that rules are evaluated on, and the members that are compared with their answers. */
export const READ_MODELS: readonly string[] = ['profiles', 'activity_facts', 'lists']

/** An append takes milliseconds; a worker whose lease may end within this asks for its job again. */
const APPEND_MS = 10_000

/**
 * Compares one contact with the rules in force, and writes where it is on a list and should not be, or the other way round. First the read
 * models must show the cause (M44), then the rules are read, then the facts: so the run of a newer rule sees what this review saw.
 */
export async function reviewContact(reviewing: Reviewing, job: Job, lease: Lease): Promise<Verdict> {
  const review = reviewOf(job.payload)
  const { workspaceId } = job
  await reviewing.gate.require(causeOf(job, review), READ_MODELS)
  const rules = await reviewing.rules({ workspaceId, lists: review.lists })
  if (rules.length === 0) return 'done'
  const { contactId } = review
  const events = [...new Set(rules.flatMap(({ compiled }) => compiled.events))]
  const now = reviewing.now()
  const {
    facts: shown,
    memberOf,
    recent,
  } = await reviewing.facts({ workspaceId, contactId, listIds: rules.map(({ listId }) => listId), events })
  const facts = shown && withoutFuture(shown, now)
  const wrong = rules.filter(({ listId, compiled }) => (facts !== null && compiled.matches(facts, now)) !== memberOf.has(listId))
  if (wrong.length > 0) await lease.ensure(APPEND_MS)
  await Promise.all(
    wrong.map(async (rule) => {
      const { listId } = rule
      const isMember = !memberOf.has(listId)
      const reason =
        facts === null ? review.reason : await reasonOf(reviewing, { ...review, workspaceId, rule, facts, recent, isMember, now })
      await write(reviewing, { workspaceId, contactId, listId, reason, isMember, now })
    }),
  )
  const moments = rules.flatMap(({ compiled }) => (facts === null ? [] : (compiled.changesAt(facts, now) ?? [])))
  if (moments.length > 0) await putDue(reviewing.pool, [{ workspaceId, contactId, dueAt: Math.min(...moments) }])
  return 'done'
}

type Membership = Readonly<{
  contactId: ContactId
  reason: MembershipReason
  workspaceId: WorkspaceId
  listId: ListId
  isMember: boolean
  now: number
}>

/** The stream says whether it is so already. A new id each time: a review that is repeated may come to another result. */
const write = async ({ commands }: Reviewing, { workspaceId, contactId, listId, reason, isMember, now }: Membership): Promise<void> => {
  const commandId = randomUUID()
  await commands.execute({
    decider: members,
    stream: membersStream(workspaceId, listId, bucketOf(contactId)),
    command: { type: isMember ? 'AddMembers' : 'RemoveMembers', data: { listId, contactIds: [contactId], reason } },
    context: { commandId, workspaceId, actor: 'pipeline', requestId: commandId, at: new Date(now).toISOString() },
  })
}
