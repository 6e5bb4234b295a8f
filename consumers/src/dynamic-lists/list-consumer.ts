import type { Consumer } from '@tidings/bus'
import type { Recorded } from '@tidings/codec'
import {
  type ActivityRecorded,
  type ContactEvent,
  type ContactId,
  changedFacts,
  eventFact,
  type ListId,
  type ListRuleChanged,
  type MembersEvent,
  type MembershipReason,
} from '@tidings/domain'
import { type Admission, DYNAMIC_LISTS } from '@tidings/jobs'
import type { ClientBase } from 'pg'
import type { ReadFacts } from './read-facts.ts'
import { reviewJob } from './review.ts'
import { type ChangedFact, factKey, listsReading, putRule } from './rule-table.ts'

type ListEvent = ContactEvent | ActivityRecorded | MembersEvent | ListRuleChanged

/** The change that an event makes to a contact: its facts, or (`listId`) its membership of a dynamic list. */
type Change = Readonly<{
  event: Recorded<ListEvent>
  contactId: ContactId
  reason: MembershipReason
  facts: readonly string[]
  listId: ListId | null
}>

/**
 * Admits a review of every contact of whom something changed that a rule reads. A membership that was written by rule is reviewed once it is
 * in the log: so what a worker wrote that had lost its job, or that did not know the newest rule, is corrected (docs/adr/0022).
 * Only this consumer writes rules: what `facts` remembers holds until it handles one, or the group was with another process.
 */
export function listConsumer({ facts, admit }: Readonly<{ facts: ReadFacts; admit: Admission }>): Consumer {
  return {
    group: DYNAMIC_LISTS,
    types: [
      'ContactCreated',
      'ContactDetailsChanged',
      'ContactEmailChanged',
      'ContactPhoneChanged',
      'ContactConsentRecorded',
      'ContactSuppressed',
      'ContactSuppressionLifted',
      'ContactEmailValidated',
      'ActivityRecorded',
      'ContactAddedToList',
      'ContactRemovedFromList',
      'ListRuleChanged',
    ],
    opened: facts.clear,
    // One look instead of a transaction: few events change what a rule reads.
    concerns: async (events) => {
      const taken = events as readonly Recorded<ListEvent>[]
      if (taken.some(({ type }) => type === 'ListRuleChanged')) return true
      const changes = taken.flatMap(changeOf)
      return changes.some(({ listId }) => listId !== null) || (await facts.haveAny(factsOf(changes)))
    },
    handle: async (events, tx) => {
      const taken = events as readonly Recorded<ListEvent>[]
      const rules = taken.filter((event) => event.type === 'ListRuleChanged')
      for (const event of rules) await putRule(tx, event)
      const admitted = await admit(tx, await reviewsOf(tx, taken.flatMap(changeOf)))
      return () => {
        if (rules.length > 0) facts.clear()
        admitted()
      }
    },
  }
}

const changeOf = (event: Recorded<ListEvent>): readonly Change[] => {
  switch (event.type) {
    case 'ListRuleChanged':
      return []
    case 'ActivityRecorded':
      return [{ event, contactId: event.data.contactId, reason: 'event', facts: [eventFact(event.data.event)], listId: null }]
    case 'ContactAddedToList':
    case 'ContactRemovedFromList': {
      const { contactId, listId, reason } = event.data
      return reason === 'request' ? [] : [{ event, contactId, reason: 'contact', facts: [], listId }]
    }
    default:
      return [{ event, contactId: event.data.contactId, reason: 'contact', facts: changedFacts(event), listId: null }]
  }
}

const factsOf = (changes: readonly Change[]): readonly ChangedFact[] =>
  changes.flatMap((change) => change.facts.map((fact) => ({ workspaceId: change.event.meta.workspaceId, fact })))

/** One review for all that a batch changes of a contact, as of the last of it. */
const reviewsOf = async (tx: ClientBase, changes: readonly Change[]) => {
  const reading = await listsReading(tx, factsOf(changes))
  const listsOf = ({ event, facts: changed, listId }: Change): readonly string[] =>
    listId === null ? changed.flatMap((fact) => reading.get(factKey({ workspaceId: event.meta.workspaceId, fact })) ?? []) : [listId]
  const byContact = Map.groupBy(changes, ({ event, contactId, reason }) => `${event.meta.workspaceId}/${contactId}/${reason}`)
  return [...byContact.values()].flatMap((ofContact) => {
    const lists = [...new Set(ofContact.flatMap(listsOf))]
    const last = ofContact.at(-1)
    if (last === undefined || lists.length === 0) return []
    const { event, contactId, reason } = last
    return [reviewJob(event.meta.workspaceId, event.position.commit, { contactId, lists, reason, prepare: `${event.position.prepare}` })]
  })
}
