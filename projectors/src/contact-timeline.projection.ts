import {
  type ActivityRecorded,
  type ContactAddedToList,
  type ContactEnteredFlow,
  type ContactEvent,
  type ContactId,
  type ContactLeftFlow,
  type ContactRemovedFromList,
  type SignUpEvent,
  saidAt,
  type WorkspaceId,
} from '@tidings/domain'
import { defineProjection, defineTable, type Rows } from '@tidings/projections'
import { type ContactTimelineRow, type TimelineKind, timelinePlace } from '@tidings/read-models'
import { isErasure, rowsOfContact } from './erasure.ts'

type ShownOfContact = Exclude<ContactEvent, { type: 'ContactEmailValidated' | 'ContactClaimAbandoned' }>
type ShownEvent =
  | ShownOfContact
  | ContactAddedToList
  | ContactRemovedFromList
  | ContactEnteredFlow
  | ContactLeftFlow
  | ActivityRecorded
  | SignUpEvent
type EventOfContact = Readonly<{
  data: Readonly<{ contactId: ContactId }>
  revision: number
  meta: Readonly<{ workspaceId: WorkspaceId; at: string }>
}>

const timeline = defineTable<ContactTimelineRow<string>>({
  name: 'contact_timeline',
  columns: {
    workspace_id: 'uuid',
    contact_id: 'uuid',
    place: 'text',
    at: 'timestamptz',
    kind: 'text',
    thing_id: 'uuid',
    revision: 'integer',
  },
  key: ['workspace_id', 'contact_id', 'place'],
})

type TimelineNote = Readonly<{ kind: TimelineKind; thingId: string; at?: string }>

const note = ({ data, revision, meta }: EventOfContact, rows: Rows, { kind, thingId, at = meta.at }: TimelineNote): void =>
  rows.create(timeline, {
    workspace_id: meta.workspaceId,
    contact_id: data.contactId,
    place: timelinePlace({ at, thingId, revision }),
    at,
    kind,
    thing_id: thingId,
    revision,
  })

/** A fold of events of the contact's own stream. */
const ofContact =
  (kind: TimelineKind) =>
  (event: EventOfContact, rows: Rows): void =>
    note(event, rows, { kind, thingId: event.data.contactId })

/**
 * What happened to each person, by when it did, in ids alone: the words are in the events that the rows name. Messages are not in it: `messages` has an
 * index by contact, so that a message costs no second row. An erased person's rows are gone.
 */
export const contactTimelineProjection = defineProjection<ShownEvent>({
  name: 'contact_timeline',
  version: 1,
  tables: [timeline],
  personal: [],
  reads: (event) => (isErasure(event) ? [rowsOfContact(timeline, event)] : []),
  on: {
    ContactCreated: ofContact('created'),
    ContactDetailsChanged: ofContact('details_changed'),
    ContactEmailChanged: ofContact('email_changed'),
    ContactPhoneChanged: ofContact('phone_changed'),
    ContactConsentRecorded: (event, rows) => note(event, rows, { kind: 'consent', thingId: event.data.contactId, at: saidAt(event) }),
    ContactSuppressed: ofContact('blocked'),
    ContactSuppressionLifted: ofContact('block_lifted'),
    ContactBrowserAdded: ofContact('browser_added'),
    ContactBrowserRemoved: ofContact('browser_removed'),
    ContactErasureRequested: (event, rows) => rows.deleteAll(rowsOfContact(timeline, event)),
    ContactErased: (event, rows) => rows.deleteAll(rowsOfContact(timeline, event)),
    ContactAddedToList: (event, rows) => note(event, rows, { kind: 'list_joined', thingId: event.data.listId }),
    ContactRemovedFromList: (event, rows) => note(event, rows, { kind: 'list_left', thingId: event.data.listId }),
    ContactEnteredFlow: (event, rows) => note(event, rows, { kind: 'flow_entered', thingId: event.data.flowId }),
    ContactLeftFlow: (event, rows) => note(event, rows, { kind: 'flow_left', thingId: event.data.flowId }),
    ActivityRecorded: (event, rows) => note(event, rows, { kind: 'event', thingId: event.data.activityId, at: event.data.occurredAt }),
    FormSubmitted: (event, rows) => note(event, rows, { kind: 'form_submitted', thingId: event.data.signUpId }),
    SignUpConfirmed: (event, rows) => note(event, rows, { kind: 'sign_up_confirmed', thingId: event.data.signUpId }),
  },
})
