import type { Recorded } from '@tidings/codec'
import { type ContactEvent, contactFirings, type DomainEvent, type MembersEvent, type WebhookEventName } from '@tidings/domain'
import { contactData } from './contact-data.ts'
import { type EngagementEvent, engagementData } from './engagement-data.ts'
import { listData } from './list-data.ts'
import type { Reading } from './reading.ts'

/** What a webhook tells of, and the event that is its cause. `extra` goes into the data. */
export type Happening = Readonly<{ name: string; cause: Recorded; extra?: Readonly<Record<string, unknown>> }>

/** How events become what webhooks tell: `happenings` of one append; `data` of one of them, null when it can be told no more. */
type Source = Readonly<{
  names: readonly WebhookEventName[]
  happenings: (append: readonly Recorded[]) => readonly Happening[]
  data: (reading: Reading, append: readonly Recorded[], happening: Happening) => Promise<Readonly<Record<string, unknown>> | null>
}>

/** Of one append, whose events all are of the types that the registry names for it. */
const contact: Source = {
  names: ['contact.created', 'contact.updated', 'contact.unsubscribed'],
  happenings: (append) =>
    contactFirings(append as readonly Recorded<ContactEvent>[]).flatMap((firing) => {
      const cause = append[firing.cause]
      const extra = 'channel' in firing ? { extra: { channel: firing.channel } } : {}
      return cause === undefined ? [] : [{ name: firing.name, cause, ...extra }]
    }),
  data: contactData,
}

/** One event, one telling. */
const list = (name: WebhookEventName): Source => ({
  names: [name],
  happenings: (append) => append.map((cause) => ({ name, cause })),
  data: (reading, _, { cause }) => listData(reading, cause as Recorded<MembersEvent>),
})

/** What the recipient did themselves; machines are not told of (M6). */
const engagement = (name: WebhookEventName): Source => ({
  names: [name],
  happenings: (append) =>
    (append as readonly Recorded<EngagementEvent>[]).filter(({ data }) => !data.machine).map((cause) => ({ name, cause })),
  data: async (_reading, _append, { cause }) => engagementData(cause as Recorded<EngagementEvent>),
})

/** Every domain event that webhooks tell of: one line each. The names without a line have no source yet. */
export const SOURCES = {
  ContactCreated: contact,
  ContactDetailsChanged: contact,
  ContactEmailChanged: contact,
  ContactPhoneChanged: contact,
  ContactConsentRecorded: contact,
  ContactAddedToList: list('list.subscribed'),
  ContactRemovedFromList: list('list.unsubscribed'),
  EmailOpened: engagement('email.opened'),
  EmailClicked: engagement('email.clicked'),
} satisfies Partial<Record<DomainEvent['type'], Source>>

const bySource = new Map<string, Source>(Object.entries(SOURCES))

/** The types that the fan-out takes. */
export const TOLD_TYPES: readonly string[] = [...bySource.keys()]

/** The names that something is told under today. */
export const TOLD_NAMES: ReadonlySet<string> = new Set([...bySource.values()].flatMap(({ names }) => names))

export const sourceOf = (type: string): Source | undefined => bySource.get(type)

/** What one append has to tell. Its events are of one stream, hence of one aggregate. */
export const happeningsOf = (append: readonly Recorded[]): readonly Happening[] => {
  const told = [...Map.groupBy(append, ({ type }) => bySource.get(type))]
  return told.flatMap(([source, events]) => source?.happenings(events) ?? [])
}
