import type { Recorded } from '@tidings/codec'
import {
  type ActivityRecorded,
  type EmailClicked,
  type EmailOpened,
  type MembersEvent,
  type MessageBounced,
  type MessageComplained,
  type MessageDelivered,
  type MessageEvent,
  type MessageFailed,
  type MessageSent,
  type MessageSuppressed,
  message,
} from '@tidings/domain'
import { flowOf } from '../flows/flow-actor.ts'
import type { Data, WebhookOccurrence } from './occurrence.ts'
import type { PayloadReader } from './payload-reader.ts'

export type SmsOutcome = MessageDelivered | MessageFailed
export type MessageOutcome = MessageSent | MessageDelivered | MessageBounced | MessageComplained | MessageFailed | MessageSuppressed
export type EngagementEvent = EmailOpened | EmailClicked

/** As the message was at the time of its outcome: a receipt may come before the provider's answer. */
const historyOf = ({ log }: PayloadReader, { meta, stream, revision }: Recorded): Promise<readonly Recorded<MessageEvent>[]> =>
  log.readStream<MessageEvent>(meta.workspaceId, stream, { limit: revision + 1 })

const stateOf = (history: readonly MessageEvent[]) => history.reduce(message.evolve, message.initialState)

export async function smsData(reader: PayloadReader, event: Recorded<SmsOutcome>): Promise<Data> {
  const { data, meta } = event
  const { providerMessageId } = stateOf(await historyOf(reader, event))
  return {
    contactId: data.contactId,
    occurredAt: meta.at,
    channel: data.channel,
    messageId: data.messageId,
    providerMessageId,
    ...(event.type === 'MessageFailed' ? { reason: event.data.reason } : {}),
  }
}

/** What became of a message, and the campaign or flow that it came of (M64). The actor of its acceptance names the flow. */
export async function messageData(reader: PayloadReader, event: Recorded<MessageOutcome>): Promise<Data> {
  const { contactId, channel, messageId, campaign } = event.data
  const history = await historyOf(reader, event)
  const { providerMessageId, failureReason } = stateOf(history)
  const flowId = flowOf(history[0]?.meta.actor ?? '')
  return {
    contactId,
    occurredAt: event.meta.at,
    channel,
    messageId,
    providerMessageId,
    ...(failureReason !== null && { reason: failureReason }),
    ...(campaign && { campaignId: campaign.campaignId }),
    ...(flowId !== null && { flowId }),
  }
}

export function campaignData({ data, meta }: Recorded<MessageSent>): Data {
  const { contactId, channel, messageId, providerMessageId, campaign } = data
  return { contactId, occurredAt: meta.at, channel, messageId, providerMessageId, campaignId: campaign?.campaignId }
}

/** The contact after the append, from its stream. Null once the person is erased. */
export async function contactData(
  { contacts }: PayloadReader,
  append: readonly Recorded[],
  occurrence: WebhookOccurrence,
): Promise<Data | null> {
  const { cause, extra } = occurrence
  const { state, createdAt, erased } = await contacts.after(append)
  if (erased || !state.exists) return null
  const { details, email, phone, consents, contactId } = state
  return {
    id: contactId,
    email,
    phone,
    firstName: details.firstName,
    lastName: details.lastName,
    tags: details.tags,
    emailConsent: consents.email,
    smsConsent: consents.sms,
    createdAt,
    updatedAt: cause.meta.at,
    ...extra,
    occurredAt: cause.meta.at,
  }
}

/** Null where the list is unknown. */
export async function listData({ listName }: PayloadReader, { data, meta }: Recorded<MembersEvent>): Promise<Data | null> {
  const { listId, contactId } = data
  const name = await listName(meta.workspaceId, listId)
  return name === null ? null : { listId, listName: name, contactId, occurredAt: meta.at }
}

/** The contact and the message, and for a click its target (N477). Null for a click of an erased person. */
export function engagementData(event: Recorded<EngagementEvent>): Data | null {
  const { contactId, channel, messageId } = event.data
  const opened = { contactId, occurredAt: event.meta.at, channel, messageId }
  if (event.type === 'EmailOpened') return opened
  return event.erased ? null : { ...opened, url: event.data.url }
}

/** A custom event gives its properties as they were sent (M8), a store event its data beside the contact (N477). Null for an erased person. */
export function activityData({ data, erased }: Recorded<ActivityRecorded>): Data | null {
  if (erased) return null
  const { contactId, occurredAt, source, properties } = data
  return source === 'api' ? { contactId, occurredAt, properties } : { ...properties, contactId, occurredAt }
}
