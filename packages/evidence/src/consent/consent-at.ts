import type { Recorded } from '@tidings/codec'
import {
  type ConsentChannel,
  type ConsentStatus,
  type ContactConsentRecorded,
  type ContactCreated,
  type ContactEvent,
  saidAt,
  saidSource,
} from '@tidings/domain'
import { positionText } from '@tidings/event-store'
import { actorName } from '../actor-name.ts'
import { momentOf } from '../contact/contact-events.ts'

/** One statement, with what proves it (N188, D1). `from` is null where the contact was created with it. */
export type ConsentEntry = Readonly<{
  channel: ConsentChannel
  from: ConsentStatus | null
  to: ConsentStatus
  source: string
  /** When it was given. */
  at: string
  /** When it was recorded, where that was later (M67); absent otherwise. */
  recordedAt?: string
  actor: string
  ip: string | null
  userAgent: string | null
  /** IP address and user agent were there, and the workspace's retention has ended them; absent otherwise. */
  endedByRetention?: true
  requestId: string
  position: string
}>

/** `history`: oldest first; the last entry of a channel made its state. */
export type ConsentState = Readonly<{ channels: Readonly<Record<ConsentChannel, ConsentStatus>>; history: readonly ConsentEntry[] }>

export const CONSENT_CHANNELS = ['email', 'sms', 'push'] as const satisfies readonly ConsentChannel[]

/**
 * What a contact had consented to, by the events of its stream: all of them, or those up to and with the moment `at`, statements by when they were given.
 * Null where nothing was known of the contact then, or it is erased: from the request on, before its key is gone. Times are compared, not positions: two processes may write for a contact, each by its own clock, and the
 * profile shows the statement that is last in the log.
 */
export function consentAt(events: readonly Recorded<ContactEvent>[], at: string | null): ConsentState | null {
  const until = at === null ? events : events.filter((event) => momentOf(event) <= at)
  const created = events.find((event) => event.type === 'ContactCreated')
  if (created === undefined || !until.some(isKnowledge) || events.some(({ type, erased }) => erased || type === 'ContactErasureRequested'))
    return null
  const history = until.filter(isStatement).map(entryOf(created))
  const stateOf = (channel: ConsentChannel): ConsentStatus =>
    history.findLast((entry) => entry.channel === channel)?.to ?? 'never_subscribed'
  return { channels: { email: stateOf('email'), sms: stateOf('sms'), push: stateOf('push') }, history }
}

const isStatement = (event: Recorded<ContactEvent>): event is Recorded<ContactConsentRecorded> => event.type === 'ContactConsentRecorded'

/** A contact is known from its creation on, and before it by what was given before it. */
const isKnowledge = (event: Recorded<ContactEvent>): boolean =>
  event.type === 'ContactCreated' || (isStatement(event) && event.data.givenAt !== undefined)

const entryOf = (created: Recorded<ContactCreated>) => {
  const spoken = new Set<ConsentChannel>()
  return (event: Recorded<ContactConsentRecorded>): ConsentEntry => {
    const { channel, from, to, ip, userAgent } = event.data
    const isFirst = !spoken.has(channel)
    spoken.add(channel)
    return {
      channel,
      from: isFirst && isOfOneCommand(created, event) ? null : from,
      to,
      source: saidSource(event.data),
      at: saidAt(event),
      ...(event.data.givenAt !== undefined && { recordedAt: event.meta.at }),
      actor: actorName(event.meta.actor),
      ip,
      userAgent,
      ...(event.ended?.includes('client') && { endedByRetention: true }),
      requestId: event.meta.requestId,
      position: positionText(event.position),
    }
  }
}

const isOfOneCommand = ({ meta: one }: Recorded, { meta: other }: Recorded): boolean =>
  one.requestId === other.requestId && one.causationId === other.causationId && one.at === other.at
