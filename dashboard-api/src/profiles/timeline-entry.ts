import type { Recorded } from '@tidings/codec'
import type { TimelineEntry } from '@tidings/contracts'
import { contactFieldNames, saidSource } from '@tidings/domain'
import { actorName } from '@tidings/evidence'
import type { ContactTimelineRow, MessageRow } from '@tidings/read-models'
import type { Names } from '../names.ts'
import type { TimelineEvent } from './timeline-events.ts'
import type { TimelineItem } from './timeline-page.ts'

type Words = Pick<TimelineEntry, 'name' | 'channel' | 'status' | 'reason' | 'fields'>

const NO_WORDS: Words = { name: null, channel: null, status: null, reason: null, fields: [] }

/** What a page shows of one thing that happened. `event`: what says more of a row; undefined where it is gone. */
export function timelineEntry(item: TimelineItem, names: Names, event: Recorded<TimelineEvent> | undefined): TimelineEntry {
  if ('message' in item) return messageEntry(item.place, item.message, names)
  const { place, row } = item
  return {
    ...{ id: place, at: row.at.toISOString(), kind: row.kind, thingId: row.thing_id },
    ...(event === undefined ? NO_WORDS : { ...NO_WORDS, ...wordsOf(event) }),
    ...nameIn(names, row),
    actor: event === undefined ? null : actorName(event.meta.actor),
  }
}

const nameIn = (names: Names, { kind, thing_id }: ContactTimelineRow): Pick<Words, 'name'> | undefined =>
  ['list_joined', 'list_left', 'flow_entered', 'flow_left'].includes(kind) ? { name: names.get(thing_id) ?? null } : undefined

const messageEntry = (place: string, row: MessageRow, names: Names): TimelineEntry => ({
  ...{ id: place, at: row.queued_at.toISOString(), kind: 'message', thingId: row.id },
  name: names.get(row.campaign_id ?? row.template_id ?? '') ?? null,
  channel: row.channel,
  status: row.status,
  reason: row.failure_reason,
  fields: [...(row.opened_at === null ? [] : ['opened']), ...(row.clicked_at === null ? [] : ['clicked'])],
  actor: null,
})

const wordsOf = ({ type, data }: Recorded<TimelineEvent>): Partial<Words> => {
  switch (type) {
    case 'ContactCreated':
      return { reason: data.source }
    case 'ContactDetailsChanged':
      return { fields: contactFieldNames.filter((field) => data[field] !== undefined) }
    case 'ContactEmailChanged':
      return { name: data.email }
    case 'ContactPhoneChanged':
      return { name: data.phone }
    case 'ContactConsentRecorded':
      return { channel: data.channel, status: data.to, reason: saidSource(data) }
    case 'ContactSuppressed':
      return { channel: data.channel, reason: data.reason }
    case 'ContactSuppressionLifted':
      return { channel: data.channel, reason: data.reasons?.join(', ') ?? null }
    case 'ContactAddedToList':
    case 'ContactRemovedFromList':
      return { reason: data.reason }
    case 'ContactLeftFlow':
      return { reason: data.reason }
    case 'ActivityRecorded':
      return { name: data.event, reason: data.source }
    case 'FormSubmitted':
      return { name: data.formId, reason: data.sourceUrl }
    default:
      return {}
  }
}
