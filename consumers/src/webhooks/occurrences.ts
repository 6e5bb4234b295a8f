import type { Recorded } from '@tidings/codec'
import {
  type ActivityRecorded,
  type ContactEvent,
  type ContactId,
  contactFirings,
  type DomainEvent,
  MESSAGE_EVENTS,
  type MembersEvent,
  type MessageEventName,
  type MessageOutcomeName,
  type MessageSent,
  STORE_EVENT_KEYS,
  type StoreEventName,
  type WebhookEventName,
} from '@tidings/domain'
import type { Data, WebhookOccurrence } from './occurrence.ts'
import {
  activityData,
  campaignData,
  contactData,
  type EngagementEvent,
  engagementData,
  listData,
  type MessageOutcome,
  messageData,
  type SmsOutcome,
  smsData,
} from './occurrence-data.ts'
import type { PayloadReader } from './payload-reader.ts'

/** Turns events into occurrences: those of one append, and the data of one of them, null when it must not be reported any more. */
type Source = Readonly<{
  names: readonly (WebhookEventName | MessageEventName)[]
  occurrences: (append: readonly Recorded[]) => readonly WebhookOccurrence[]
  data: (reader: PayloadReader, append: readonly Recorded[], occurrence: WebhookOccurrence) => Promise<Data | null>
}>

/** Occurrences of one append. All its events are of the types that `SOURCES` names for this source. */
const contact: Source = {
  names: ['contact.created', 'contact.updated', 'contact.unsubscribed'],
  occurrences: (append) =>
    contactFirings(append as readonly Recorded<ContactEvent>[]).flatMap((firing) => {
      const cause = append[firing.cause]
      const extra = 'channel' in firing ? { extra: { channel: firing.channel } } : {}
      return cause === undefined ? [] : [{ name: firing.name, cause, ...extra }]
    }),
  data: contactData,
}

/** One occurrence an event, where a request added or removed the contact: the members of dynamic lists come and go by rule (N477). */
const list = (name: WebhookEventName): Source => ({
  names: [name],
  occurrences: (append) =>
    (append as readonly Recorded<MembersEvent>[]).filter(({ data }) => data.reason === 'request').map((cause) => ({ name, cause })),
  data: (reader, _, { cause }) => listData(reader, cause as Recorded<MembersEvent>),
})

/** The names that are in the catalogue too keep the data that they have there (N477). */
const isOfCatalogue = (name: string): boolean => name === 'sms.delivered' || name === 'sms.failed'

/**
 * One an outcome that moves the status of a message, on the channels of contacts (M64). Not of passcodes: those have no contact, and no caller knows
 * their message's id. A message of a campaign is reported as sent under the name of the catalogue too; a receipt may have come before.
 */
const message = (outcome: MessageOutcomeName): Source => ({
  names: [...MESSAGE_EVENTS.filter((name) => name.endsWith(`.${outcome}`)), ...(outcome === 'sent' ? (['campaign.sent'] as const) : [])],
  occurrences: (append) =>
    (append as readonly Recorded<MessageOutcome>[]).flatMap((cause) => {
      const { contactId, channel, campaign } = cause.data
      const ofCampaign = outcome === 'sent' && campaign ? [{ name: 'campaign.sent', cause }] : []
      const name = `${channel}.${outcome}`
      const isReported = contactId !== null && messageEvents.has(name)
      return isReported ? [...ofCampaign, { name, cause }] : ofCampaign
    }),
  data: async (reader, _append, { name, cause }) => {
    if (name === 'campaign.sent') return campaignData(cause as Recorded<MessageSent>)
    return isOfCatalogue(name) ? smsData(reader, cause as Recorded<SmsOutcome>) : messageData(reader, cause as Recorded<MessageOutcome>)
  },
})

const messageEvents: ReadonlySet<string> = new Set(MESSAGE_EVENTS)

/** The actions of the recipient; opens and clicks by machines are not reported (M6). */
const engagement = (name: WebhookEventName): Source => ({
  names: [name],
  occurrences: (append) =>
    (append as readonly Recorded<EngagementEvent>[]).filter(({ data }) => !data.machine).map((cause) => ({ name, cause })),
  data: async (_reader, _append, { cause }) => engagementData(cause as Recorded<EngagementEvent>),
})

/** An activity of a contact, under the name that it was reported with: a custom one, or that of a store event. */
const activity: Source = {
  names: Object.keys(STORE_EVENT_KEYS) as StoreEventName[],
  occurrences: (append) => (append as readonly Recorded<ActivityRecorded>[]).map((cause) => ({ name: cause.data.event, cause })),
  data: async (_reader, _append, { cause }) => activityData(cause as Recorded<ActivityRecorded>),
}

/** Every domain event that webhooks report, one line each. A public name without a line has no source yet. */
const SOURCES = {
  ActivityRecorded: activity,
  ContactCreated: contact,
  ContactDetailsChanged: contact,
  ContactEmailChanged: contact,
  ContactPhoneChanged: contact,
  ContactConsentRecorded: contact,
  ContactAddedToList: list('list.subscribed'),
  ContactRemovedFromList: list('list.unsubscribed'),
  MessageSent: message('sent'),
  MessageDelivered: message('delivered'),
  MessageBounced: message('bounced'),
  MessageComplained: message('complained'),
  MessageFailed: message('failed'),
  MessageSuppressed: message('suppressed'),
  EmailOpened: engagement('email.opened'),
  EmailClicked: engagement('email.clicked'),
} satisfies Partial<Record<DomainEvent['type'], Source>>

const sources = new Map<string, Source>(Object.entries(SOURCES))

/** The event types that can be a cause. */
export const CAUSE_TYPES: readonly string[] = [...sources.keys()]

/** The public names that have a source. */
export const REPORTED_NAMES: ReadonlySet<string> = new Set([...sources.values()].flatMap(({ names }) => names))

/** The occurrences of one append. Its events are of one stream, hence of one aggregate. */
export function occurrencesOf(append: readonly Recorded[]): readonly WebhookOccurrence[] {
  const bySource = [...Map.groupBy(append, ({ type }) => sources.get(type))]
  return bySource.flatMap(([source, events]) => source?.occurrences(events) ?? [])
}

/** False for an event that is no cause, whatever else its append holds: what happens to a contact shows in all events of the append. */
export function mayOccur(event: Recorded): boolean {
  const source = sources.get(event.type)
  return source === contact || (source !== undefined && source.occurrences([event]).length > 0)
}

/** The data of an occurrence of the append, null when it must not be reported any more. */
export async function dataOf(reader: PayloadReader, append: readonly Recorded[], occurrence: WebhookOccurrence): Promise<Data | null> {
  if (await isAboutErased(reader, occurrence)) return null
  return (await sources.get(occurrence.cause.type)?.data(reader, append, occurrence)) ?? null
}

/** Nothing about an erased person is reported, not even what names no one. */
async function isAboutErased({ erased }: PayloadReader, { cause: { data, meta } }: WebhookOccurrence): Promise<boolean> {
  const { contactId } = data as Readonly<{ contactId?: ContactId | null }>
  return typeof contactId === 'string' && (await erased.has(meta.workspaceId, contactId))
}
