import type { Recorded } from '@tidings/codec'
import { type ConsentChannel, type ContactEvent, contact, contactStream, type SuppressionChannel, saidSource } from '@tidings/domain'
import { actorName } from '../actor-name.ts'
import { type Fact, factOf } from '../fact.ts'
import { readAll, type Sources } from '../sources.ts'
import { factsAtMoments } from './facts-at-moments.ts'
import type { KnownMessage } from './known-message.ts'

/** What the recipient had consented to and was suppressed for, and what followed for them from the message. A passcode is to no contact (G21). */
export async function recipientFacts(sources: Sources, known: KnownMessage): Promise<readonly Fact[]> {
  const { workspaceId, accepted } = known
  const { contactId, channel } = accepted.data
  if (contactId === null || (channel !== 'email' && channel !== 'sms' && channel !== 'push')) return []
  const events = await readAll<ContactEvent>(sources, workspaceId, contactStream(workspaceId, contactId))
  return [
    ...consentFacts(known, events, channel),
    ...(channel === 'push' ? [] : suppressionFacts(known, events, channel)),
    ...events.filter((event) => followsFrom(known, event)).map((event) => factOf(event, `it followed: ${consequence(event)}`)),
  ]
}

const consentFacts = (known: KnownMessage, events: readonly Recorded<ContactEvent>[], channel: ConsentChannel): readonly Fact[] => {
  const isOfChannel = (event: Recorded<ContactEvent>): boolean => event.type === 'ContactConsentRecorded' && event.data.channel === channel
  return factsAtMoments(known, {
    events,
    changes: (event) => event.type === 'ContactCreated' || isOfChannel(event),
    says: (before) => {
      const said = before.findLast(isOfChannel)
      if (said?.type !== 'ContactConsentRecorded') return `${channel} consent never_subscribed, nothing was said`
      return `${channel} consent ${said.data.to}, source ${saidSource(said.data)}, by ${actorName(said.meta.actor)}`
    },
  })
}

const suppressionFacts = (known: KnownMessage, events: readonly Recorded<ContactEvent>[], channel: SuppressionChannel): readonly Fact[] =>
  factsAtMoments(known, {
    events,
    changes: ({ type, data }) =>
      type === 'ContactCreated' || ((type === 'ContactSuppressed' || type === 'ContactSuppressionLifted') && data.channel === channel),
    says: (before) => {
      const reasons = before.reduce(contact.evolve, contact.initialState).suppressions[channel]
      return reasons.length === 0 ? `not suppressed for ${channel}` : `suppressed for ${channel}: ${reasons.join(', ')}`
    },
  })

/** Whether an outcome of the message, or a way out in it, caused the event. */
const followsFrom = ({ events, messageId }: KnownMessage, event: Recorded<ContactEvent>): boolean =>
  events.some(({ id }) => id === event.meta.causationId) ||
  (event.type === 'ContactConsentRecorded' && event.data.message?.messageId === messageId)

const consequence = (event: Recorded<ContactEvent>): string => {
  switch (event.type) {
    case 'ContactConsentRecorded':
      return `${event.data.channel} consent ${event.data.from} > ${event.data.to}, source ${saidSource(event.data)}`
    case 'ContactSuppressed':
      return `suppressed for ${event.data.channel} (${event.data.reason})`
    case 'ContactEmailValidated':
      return `the email address counts as ${event.data.state}`
    default:
      return event.type
  }
}
